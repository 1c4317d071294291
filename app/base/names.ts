// Methods, tools and typed request ids repeat; a column holds their number, this table their text.

/** Interned strings: the same text always has the same number, dense from 0 in order of first sight. */
export interface Names {
  readonly length: number;
  /** The number of a text, new or known. */
  of(text: string): number;
  /** The number of a text already known, else undefined. */
  find(text: string): number | undefined;
  /** The text of a number; '' for −1 (none) and for numbers never given. */
  text(index: number): string;
  /** The texts from a number on, in order. */
  from(start: number): readonly string[];
}

export function names(): Names {
  const texts: string[] = [];
  const numbers = new Map<string, number>();
  return {
    get length() {
      return texts.length;
    },
    of(text) {
      const known = numbers.get(text);
      if (known !== undefined) return known;
      numbers.set(text, texts.length);
      return texts.push(text) - 1;
    },
    find: (text) => numbers.get(text),
    text: (index) => texts[index] ?? '',
    from: (start) => texts.slice(start),
  };
}
