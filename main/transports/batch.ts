// A batch of JSON-RPC messages (revision 2025-03-26) taken apart without rewriting any of them: each element's text is
// what stood on the wire.

/**
 * The texts of the elements of a JSON array.
 * @param text sound JSON that is an array
 */
export function elementsOf(text: string): readonly string[] {
  const elements: string[] = [];
  let depth = 0;
  let start = text.indexOf('[') + 1;
  for (let at = start - 1; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at);
        break;
      case '[':
      case '{':
        depth++;
        break;
      case ']':
      case '}':
        depth--;
        if (depth === 0) elements.push(text.slice(start, at).trim());
        break;
      case ',':
        if (depth > 1) break;
        elements.push(text.slice(start, at).trim());
        start = at + 1;
        break;
    }
  }
  return elements.filter((element) => element !== '');
}

/** The quote that ends the string which begins at `from`. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}
