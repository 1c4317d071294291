// The canvas cannot use CSS variables, so it reads the tokens here, once per theme, and again when the theme changes.
// The values live in tokens.css and nowhere else.

export const COLOURS = [
  'page',
  'panel',
  'lane',
  'raise',
  'line',
  'ink',
  'soft',
  'faint',
  'request',
  'cancel',
  'late',
  'breach',
  'proof',
  'unknown',
  'fault',
  'request-text',
  'cancel-text',
  'late-text',
  'breach-text',
  'proof-text',
  'unknown-text',
  'fault-text',
  'on-request',
  'on-cancel',
  'on-breach',
  'on-fault',
  'halo',
  'focus',
] as const;
/** A colour by its meaning: the name of a token without the dashes. */
export type Colour = (typeof COLOURS)[number];

export const FACES = ['name', 'id', 'label', 'strong', 'axis', 'count'] as const;
/** A way to set text on the canvas. */
export type Face = (typeof FACES)[number];

/** The tokens as the canvas needs them: CSS colours and CSS fonts. */
export interface Theme {
  readonly name: 'light' | 'dark';
  readonly colours: Readonly<Record<Colour, string>>;
  readonly fonts: Readonly<Record<Face, string>>;
}

/** Reads the tokens of the theme in force. */
export function readTheme(root: HTMLElement = document.documentElement): Theme {
  const style = getComputedStyle(root);
  const read = (token: string): string => style.getPropertyValue(`--${token}`).trim();
  const words = read('font-words');
  const wire = read('font-wire');
  return {
    name: root.dataset['theme'] === 'dark' ? 'dark' : 'light',
    colours: Object.fromEntries(COLOURS.map((colour) => [colour, read(colour)])) as Record<Colour, string>,
    fonts: {
      name: `500 12.5px ${words}`,
      id: `400 10.5px ${wire}`,
      label: `450 11px ${words}`,
      strong: `650 11px ${words}`,
      axis: `400 11px ${wire}`,
      count: `700 9px ${words}`,
    },
  };
}

/** Sets the theme of the page. Whoever calls this has resolved `system` already. */
export function setTheme(name: 'light' | 'dark', root: HTMLElement = document.documentElement): void {
  root.dataset['theme'] = name;
}

/** Calls back whenever the theme of the page changes. @returns a function that ends it */
export function onThemeChange(listener: (theme: Theme) => void, root: HTMLElement = document.documentElement): () => void {
  const observer = new MutationObserver(() => listener(readTheme(root)));
  observer.observe(root, { attributes: true, attributeFilter: ['data-theme', 'style', 'class'] });
  return () => observer.disconnect();
}
