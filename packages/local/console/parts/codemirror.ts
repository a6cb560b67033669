import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** An editor on the page. */
export interface EditorHandle {
  setText(text: string): void;
  destroy(): void;
}

const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--json-key)' },
  { tag: tags.string, color: 'var(--json-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--json-atom)' },
]);

const LOOK = EditorView.theme({
  '&': { backgroundColor: 'var(--field)', color: 'var(--text)' },
  '.cm-content': { fontFamily: 'var(--mono)', fontSize: '13px', caretColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--quiet)', border: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--selection)' },
});

/**
 * Mounts an editor for JSON. Tab leaves it, so that keyboard users are not trapped. The page handles Ctrl+Enter.
 */
export function createEditor(
  parent: HTMLElement,
  options: { readonly label: string; readonly text: string; readonly onChange: (text: string) => void },
): EditorHandle {
  const nonce = document.querySelector('meta[name="style-nonce"]')?.getAttribute('content') ?? '';
  const parses = jsonParseLinter();
  // The latest text of the owner: text that the owner set is not reported back as a change.
  let known = options.text;
  // Reported strings that the owner has not set yet: fast typing is ahead of the owner's older values.
  const reported = new Set<string>();
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        EditorView.cspNonce.of(nonce),
        lineNumbers(),
        history(),
        bracketMatching(),
        json(),
        syntaxHighlighting(COLOURS),
        LOOK,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': options.label }),
        keymap.of([...historyKeymap, ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter')]),
        EditorView.updateListener.of(({ docChanged, view: changed }) => {
          if (!docChanged) return;
          const text = changed.state.doc.toString();
          parent.dataset.valid = String(text === '' || parses(changed).length === 0);
          if (text === known) return;
          known = text;
          reported.add(text);
          options.onChange(text);
        }),
      ],
    }),
  });
  return {
    setText(text) {
      if (text === known) reported.clear();
      if (text === known || reported.has(text)) return;
      known = text;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    destroy: () => view.destroy(),
  };
}
