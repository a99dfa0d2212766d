// The order in which one rater sees the items: random, but the same at every visit.

/** Pseudo-random numbers from 0 up to 1, seeded by a text. */
const chance = (text) => {
  let state = 0x811c9dc5;
  for (const character of text) state = Math.imul(state ^ character.codePointAt(0), 0x01000193);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let bits = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
    return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32;
  };
};

/**
 * The items in the order of one rater. Exchanges that begin with the same words are spread out: the items of a group are
 * placed at even distances on a circle with a random start, each shifted by up to half a distance.
 */
const shuffled = (items, seed) => {
  const random = chance(seed);
  const groups = new Map();
  for (const item of items) groups.set(item.input, [...(groups.get(item.input) ?? []), item]);
  const places = new Map();
  for (const group of groups.values()) {
    const begin = random();
    const drawn = group.map((item) => [random(), item]).sort((a, b) => a[0] - b[0]);
    drawn.forEach(([, item], n) => places.set(item, (begin + (n + random() / 2) / group.length) % 1));
  }
  return [...items].sort((a, b) => places.get(a) - places.get(b));
};
