/** Not every browser's keyboard reaches what scrolls by itself, and a tab stop on what does not scroll is a dead one. */
const reachable = new ResizeObserver((resized) => {
  for (const { target } of resized) {
    const scrolls = target.scrollHeight > target.clientHeight || target.scrollWidth > target.clientWidth;
    if (scrolls) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
