// What lies open on top of the window, innermost last: palette, dialogs, menus, popovers, the filter while it is being
// typed into. Escape goes to the innermost one and to nothing else; only with none open does it mean Stop.

export interface Layers {
  /** @returns takes the layer off again */
  open(close: () => void): () => void;
  /** Closes the innermost layer. @returns whether there was one */
  closeInnermost(): boolean;
  readonly depth: () => number;
}

export function layers(): Layers {
  const stack: { readonly close: () => void }[] = [];
  return {
    open(close) {
      const layer = { close };
      stack.push(layer);
      return () => {
        const at = stack.indexOf(layer);
        if (at >= 0) stack.splice(at, 1);
      };
    },
    closeInnermost() {
      const layer = stack.at(-1);
      layer?.close();
      return layer !== undefined;
    },
    depth: () => stack.length,
  };
}
