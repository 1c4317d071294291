// The file of a scenario, edited: what is wrong is marked in place as it is typed, and what may be written is offered.
import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, linter, lintGutter } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { EditorView, minimalSetup } from 'codemirror';
import { type RefObject, useEffect, useRef } from 'react';
import type { Actions } from '../../actions';
import { useStopgap } from '../../context';
import { checkOpen, DEMO_PROBES } from './check';
import { completionsAt, type Known } from './completion';

interface Props {
  /** What it begins with. From then on the editor is ahead of whoever is told of its text, and never set back to it. */
  readonly text: string;
  /** Set to what puts the cursor somewhere. */
  readonly goTo: RefObject<((offset: number) => void) | undefined>;
}

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '12px', backgroundColor: 'var(--page)', color: 'var(--ink)' },
  '.cm-scroller': { fontFamily: 'var(--font-wire)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--request) 30%, transparent) !important',
  },
  '.cm-gutters': { backgroundColor: 'var(--page)', color: 'var(--faint)', border: '0' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--breach)',
    textDecorationSkipInk: 'none',
    textUnderlineOffset: '3px',
  },
  '.cm-lint-marker-error': { content: 'normal' },
  '.cm-lint-marker-error:before': { content: '"◆"', color: 'var(--breach-text)', fontSize: '11px' },
  '.cm-tooltip': {
    maxWidth: '420px',
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--raise)',
    color: 'var(--ink)',
  },
  '.cm-diagnostic': { borderLeft: '0', fontFamily: 'var(--font-words)', whiteSpace: 'normal' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px', fontFamily: 'var(--font-wire)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'color-mix(in srgb, var(--request) 24%, var(--raise))',
    color: 'var(--ink)',
  },
  '.cm-completionDetail': { color: 'var(--faint)', fontStyle: 'normal' },
});

/** The library's own colours are made for white paper only. */
const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--request-text)' },
  { tag: [tags.string, tags.content, tags.attributeValue], color: 'var(--ink)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--proof-text)' },
  { tag: tags.comment, color: 'var(--faint)' },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: 'var(--faint)' },
]);

const diagnostics = (view: EditorView): readonly Diagnostic[] => {
  const { length } = view.state.doc;
  return checkOpen(view.state.doc.toString()).problems.map(({ from, to, field, says }) => ({
    from: Math.min(from, length),
    to: Math.min(to, length),
    severity: 'error',
    message: field === undefined ? says : `${field}: ${says}`,
  }));
};

const completing =
  (known: () => Known) =>
  ({ state, pos, explicit }: CompletionContext): CompletionResult | null => {
    const found = completionsAt(state.doc.toString(), pos, known());
    // Null is the library's word for nothing.
    if (!found || (found.from === pos && !explicit && !found.eager)) return null;
    return { from: found.from, options: [...found.options], validFor: /^[\w./-]*$/ };
  };

/** @returns true: the key has been taken */
const saving = (actions: Actions) => (): boolean => {
  void actions.lab.save();
  return true;
};

export default function Editor({ text, goTo }: Props) {
  const { actions, store } = useStopgap();
  const host = useRef<HTMLDivElement>(null);
  const first = useRef(text);

  useEffect(() => {
    if (!host.current) return undefined;
    const known = (): Known => ({ tools: store.getState().status.tools, probes: DEMO_PROBES });
    const editor = new EditorView({
      parent: host.current,
      doc: first.current,
      extensions: [
        minimalSetup,
        lineNumbers(),
        lintGutter(),
        linter(diagnostics, { delay: 250 }),
        autocompletion({ override: [completing(known)], icons: false }),
        yaml(),
        syntaxHighlighting(colours),
        EditorState.tabSize.of(2),
        EditorView.lineWrapping,
        keymap.of([{ key: 'Mod-s', run: saving(actions) }]),
        EditorView.contentAttributes.of({ 'aria-label': 'Scenario file', tabindex: '0' }),
        look,
        EditorView.updateListener.of((update) => {
          if (update.docChanged) actions.lab.edit(update.state.doc.toString());
        }),
      ],
    });
    goTo.current = (offset) => {
      const at = Math.min(offset, editor.state.doc.length);
      editor.dispatch({ selection: { anchor: at }, scrollIntoView: true });
      editor.focus();
    };
    return () => {
      goTo.current = undefined;
      editor.destroy();
    };
  }, [actions, store, goTo]);

  return <div ref={host} className="lab-editor" />;
}
