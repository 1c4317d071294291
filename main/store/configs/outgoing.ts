// What becomes of a value when a server is written into a configuration that other people may read: it is written out only
// when the person asks for that; otherwise the file refers to it, in the form's own words.
import type { ConfigInput } from '../../../app/contract/server';
import type { Exported } from './form';
import { askedIn, withAsked } from './holes';

/** How one value is written: as it is, as a reference behind `Bearer `, or as a text with references in it. */
export type Outgoing =
  | { readonly kind: 'value'; readonly text: string }
  | { readonly kind: 'reference'; readonly prefix: string; readonly input: ConfigInput; readonly known: boolean }
  | { readonly kind: 'mixed'; readonly text: string };

const ONLY = /^(Bearer |)\$\{input:([^}]*)\}$/;
const SCHEME = /^Bearer (?=.)/;

/** The value of an environment variable or a header on its way out. An empty one is not known. */
export function outgoing(server: Exported, of: 'env' | 'headers', name: string, value: string, secrets: boolean): Outgoing {
  const [, prefix = '', id] = ONLY.exec(value) ?? [];
  if (id !== undefined) return { kind: 'reference', prefix, input: inputOf(server, id), known: true };
  if (askedIn(value).length > 0) return { kind: 'mixed', text: value };
  if (secrets && value !== '') return { kind: 'value', text: value };
  const scheme = of === 'headers' && /^authorization$/i.test(name) ? (SCHEME.exec(value)?.[0] ?? '') : '';
  const variable = of === 'env' ? name : variableName(`${server.name}_${scheme === '' ? name : 'token'}`).toUpperCase();
  const input = { id: variable, description: `${name} of ${server.name}`, password: true, default: undefined };
  return { kind: 'reference', prefix: scheme, input, known: !secrets };
}

export const inputOf = (server: Exported, id: string): ConfigInput =>
  server.inputs?.find((input) => input.id === id) ?? { id, description: `${id} of ${server.name}`, password: true, default: undefined };

/** A name that an environment variable can have. */
export const variableName = (text: string): string =>
  /^[A-Za-z_]\w*$/.test(text)
    ? text
    : text
        .replace(/\W+/g, '_')
        .replace(/^(?=\d)/, '_')
        .toUpperCase();

/** A reference to an environment variable, in the words of VS Code and its descendants. */
export function editorReference(input: ConfigInput): { id: string; text: string } {
  const id = variableName(input.id);
  return { id, text: `\${env:${id}}` };
}

/** A text with each value that it asks for replaced by a reference. */
export const withReferences = (server: Exported, text: string, reference: (input: ConfigInput) => string): string =>
  withAsked(text, (id) => reference(inputOf(server, id)));

/** Collects what is to be said of what was written. */
export class Notes {
  readonly lacking = new Set<string>();
  readonly refersTo = new Set<string>();
  readonly lost: string[] = [];

  /** What is written where a form has no way to refer to a value: what it is by default, or a sign that it lacks. */
  placeholder(input: ConfigInput): string {
    if (input.default !== undefined) return input.default;
    this.lacking.add(input.id);
    return `<${input.id}>`;
  }

  done(text: string): { text: string; lacking: string[]; refersTo: string[]; lost: string[] } {
    return { text, lacking: [...this.lacking], refersTo: [...this.refersTo], lost: this.lost };
  }
}
