// Active time: while the page is visible, and after the last sign of activity no longer than reading could take.

const IDLE_SECONDS = 30;
const SLOW_WORDS_A_SECOND = 2;

/** Passes the elapsed seconds to `spend`, at each sign of activity. */
class Stopwatch {
  constructor(spend) {
    this.spend = spend;
    this.since = null;
    this.limit = 0;
    for (const sign of ["keydown", "pointerdown", "pointermove", "wheel", "scroll", "touchmove", "focus", "visibilitychange"]) {
      document.addEventListener(sign, () => this.touch(), { capture: true, passive: true });
    }
    addEventListener("pagehide", () => this.touch());
  }

  /** Starts with a text of `words` words. */
  start(words) {
    this.stop();
    this.limit = IDLE_SECONDS + words / SLOW_WORDS_A_SECOND;
    this.since = performance.now();
  }

  /** Counts the elapsed time and stops. */
  stop() {
    this.touch();
    this.limit = 0;
  }

  touch() {
    if (!this.limit) return;
    const now = performance.now();
    if (this.since !== null) this.spend(Math.min((now - this.since) / 1000, this.limit));
    this.since = document.hidden ? null : now;
  }
}
