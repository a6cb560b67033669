import type { ComponentChildren } from 'preact';
import { attempt } from '../store.js';
import type { Tone } from './view.js';

/** A word with the colour of how it went. */
export function Mark({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return <span class={`mark ${tone}`}>{children}</span>;
}

/** A button that says which key does the same. */
export function Action(props: {
  readonly label: string;
  readonly shortcut?: string;
  readonly onClick: () => void;
  readonly primary?: boolean;
  readonly disabled?: boolean;
  /** For screen readers, where the label alone does not say what it is for. */
  readonly of?: string;
}) {
  const { label, shortcut, onClick, primary = false, disabled = false, of } = props;
  return (
    <button
      type="button"
      class={primary ? 'action primary' : 'action'}
      onClick={onClick}
      disabled={disabled}
      aria-keyshortcuts={shortcut}
    >
      {label}
      {of !== undefined && <span class="hidden">{of}</span>}
      {shortcut && (
        <span class="key" aria-hidden="true">
          {shortcut}
        </span>
      )}
    </button>
  );
}

/** Puts a text on the clipboard. */
export function Copy({ text, of }: { readonly text: string; readonly of: string }) {
  const copy = () => void attempt(`Copied ${of}`, () => navigator.clipboard.writeText(text));
  return <Action label="Copy" of={of} onClick={copy} />;
}

/** What is shown where there is nothing. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}
