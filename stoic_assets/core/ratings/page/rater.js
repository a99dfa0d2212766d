// Rater ids: they become part of a file's name, so they are plain.

const RATER = /^[a-z0-9][a-z0-9_.-]{0,63}$/;
const ID_RULE = "Use a–z without accents, 0–9 and _ . - only; begin with a letter or digit; 64 characters at most.";

/** What is wrong with an id, or "". The first character that does not fit is named, by its number if it is not seen. */
const faultOf = (rater) => {
  if (RATER.test(rater)) return "";
  const misfit = [...rater].find((character) => !/[a-z0-9_.-]/.test(character));
  return misfit ? `${calledCharacter(misfit)} does not fit. ${ID_RULE}` : ID_RULE;
};

const calledCharacter = (character) => {
  if (character === " ") return "A space";
  const code = character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
  return /[\p{C}\p{M}\p{Z}]/u.test(character) ? `The character U+${code}` : `“${character}”`;
};
