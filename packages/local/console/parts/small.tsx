import type { ComponentChildren } from 'preact';
import { attempt, failed } from '../store.js';
import type { Tone } from './view.js';

/** A word with the colour of its result. */
export function Mark({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return <span class={`mark ${tone}`}>{children}</span>;
}

/** A button that shows its key. */
export function Action(props: {
  readonly label: string;
  readonly shortcut?: string;
  readonly onClick: () => void;
  readonly primary?: boolean;
  readonly disabled?: boolean;
  /** For screen readers, if the label alone is ambiguous. */
  readonly of?: string;
  /** For a button that shows or hides content: true if the content is shown. */
  readonly expanded?: boolean;
}) {
  const { label, shortcut, onClick, primary = false, disabled = false, of, expanded } = props;
  return (
    <button
      type="button"
      class={primary ? 'action primary' : 'action'}
      onClick={onClick}
      disabled={disabled}
      aria-keyshortcuts={shortcut}
      aria-expanded={expanded}
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

/** The error of the last action of this view, next to its buttons. */
export function Failed() {
  return (
    <p class={failed.value === '' ? 'hidden' : 'problem inline'} role="alert">
      {failed.value}
    </p>
  );
}

/** Copies a string to the clipboard, and shows a confirmation. */
export function copy({ text, of }: { readonly text: string; readonly of: string }): void {
  void attempt(`Copied ${of}`, () => navigator.clipboard.writeText(text));
}

/** A button for {@link copy}. */
export function Copy(props: { readonly text: string; readonly of: string; readonly shortcut: string }) {
  const { of, shortcut } = props;
  return <Action label="Copy" of={of} shortcut={shortcut} onClick={() => copy(props)} />;
}

/** The placeholder of an empty list or panel. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}
