// Markup that is written, not read: whatever a server said goes through `escaped`, so that it is text wherever it lands.

/** A text as it may stand in XML and HTML, in elements and in quoted attributes. Control characters, which XML forbids, become �. */
export const escaped = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these have no place in XML
  text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd').replace(/[&<>"']/g, (sign) => SIGNS[sign] ?? sign);

const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** One element. @param inner markup, not text: what is text has been through {@link escaped} */
export function element(name: string, attributes: Readonly<Record<string, string | undefined>>, inner: readonly string[] = []): string {
  const given = Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [` ${key}="${escaped(value)}"`]));
  return inner.length === 0 ? `<${name}${given.join('')}/>` : `<${name}${given.join('')}>${inner.join('')}</${name}>`;
}
