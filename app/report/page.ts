// A page that stands for itself: no script, no font, no address, in the light and dark of whoever reads it.
import { element, escaped } from './markup';
import { STYLE } from './style';

/** @param title a text @param body markup */
export function pageOf(title: string, body: readonly string[]): string {
  const head = [
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    // Nothing may be loaded, whatever a server managed to have written here.
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    element('title', {}, [escaped(title)]),
    `<style>${STYLE}</style>`,
  ];
  return `<!doctype html>\n<html lang="en"><head>${head.join('')}</head><body><main>${body.join('\n')}</main></body></html>\n`;
}
