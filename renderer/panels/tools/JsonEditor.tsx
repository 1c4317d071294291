// The raw side of the arguments: an editor for JSON, loaded only when somebody opens it, kept in step with the form.
import { json } from '@codemirror/lang-json';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { tags } from '@lezer/highlight';
import { EditorView, minimalSetup } from 'codemirror';
import { useEffect, useRef } from 'react';

type Value = Readonly<Record<string, unknown>>;

interface Props {
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  /** Told in plain words why the text is not usable, or undefined once it is. */
  readonly onBroken: (why: string | undefined) => void;
}

/** What the text holds, or why it cannot be used as arguments. */
export function readArguments(text: string): { readonly value: Value } | { readonly why: string } {
  let value: unknown;
  try {
    value = text.trim() === '' ? {} : JSON.parse(text);
  } catch (error) {
    return { why: `Not JSON yet: ${error instanceof Error ? error.message : String(error)}` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { why: 'Arguments are an object: { "name": value }.' };
  return { value: value as Value };
}

const textOf = (value: Value): string => JSON.stringify(value, undefined, 2);

const look = EditorView.theme({
  '&': { fontSize: '12px', backgroundColor: 'var(--page)', color: 'var(--ink)', maxHeight: '320px' },
  '.cm-content': { fontFamily: 'var(--font-wire)', caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--request) 30%, transparent) !important',
  },
  '.cm-gutters': { backgroundColor: 'var(--page)', border: '0' },
  '.cm-tooltip': { backgroundColor: 'var(--raise)', color: 'var(--ink)', border: '1px solid var(--line)' },
});

/** The colours of the raw messages; the library's own are made for white paper only. */
const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--soft)' },
  { tag: tags.string, color: 'var(--proof-text)' },
  { tag: [tags.number, tags.bool], color: 'var(--request-text)' },
  { tag: [tags.null, tags.punctuation], color: 'var(--faint)' },
]);

export default function JsonEditor({ value, onChange, onBroken }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  const told = useRef({ onChange, onBroken });
  told.current = { onChange, onBroken };
  const first = useRef(value);

  useEffect(() => {
    if (!host.current) return undefined;
    const editor = new EditorView({
      parent: host.current,
      doc: textOf(first.current),
      extensions: [
        minimalSetup,
        json(),
        syntaxHighlighting(colours),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': 'Arguments as JSON' }),
        look,
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          const read = readArguments(update.state.doc.toString());
          told.current.onBroken('why' in read ? read.why : undefined);
          if ('value' in read) told.current.onChange(read.value);
        }),
      ],
    });
    view.current = editor;
    return () => {
      told.current.onBroken(undefined);
      editor.destroy();
    };
  }, []);

  // Changed elsewhere (the form, the history): the text follows, unless it says the same already.
  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const read = readArguments(editor.state.doc.toString());
    if ('why' in read || JSON.stringify(read.value) === JSON.stringify(value)) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: textOf(value) } });
  }, [value]);

  return <div ref={host} className="json-editor" />;
}
