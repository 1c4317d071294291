// How long the window's own frames take, cheaply: a ring of the last durations, sorted only when somebody looks.

export interface FrameTimes {
  /** @param ms how long the work of one animation frame took */
  add(ms: number): void;
  /** 95th percentile in milliseconds; undefined before the first frame. */
  p95(): number | undefined;
}

export function frameTimes(capacity = 240): FrameTimes {
  const ring = new Float64Array(capacity);
  let filled = 0;
  let next = 0;
  return {
    add(ms) {
      ring[next] = ms;
      next = (next + 1) % capacity;
      filled = Math.min(filled + 1, capacity);
    },
    p95() {
      if (filled === 0) return undefined;
      const sorted = ring.slice(0, filled).sort();
      return sorted[Math.min(filled - 1, Math.floor(filled * 0.95))];
    },
  };
}
