import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** A key and what it does, for the list of keys. */
export interface KeyBinding {
  readonly key: string;
  readonly does: string;
  readonly run: () => void;
}

const bound = signal<readonly KeyBinding[]>([]);

/** All keys that do something now. */
export const bindings = bound;

/** Gives keys a meaning while the component is shown. */
export function useKeys(keys: readonly KeyBinding[]): void {
  useEffect(() => {
    bound.value = [...bound.peek(), ...keys];
    return () => {
      bound.value = bound.peek().filter((one) => !keys.includes(one));
    };
  });
}

/** Letters are text in fields; only Escape leaves them. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input:not([type=checkbox]), textarea, select, [contenteditable]') !== null
  );
}

export function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey || event.metaKey) return;
  if (document.querySelector('dialog[open]')) return;
  const name = event.ctrlKey ? `Ctrl+${event.key}` : event.key;
  if (isTyping(event.target) && !event.ctrlKey) {
    if (event.key === 'Escape') (event.target as HTMLElement).blur();
    return;
  }
  // The newest meaning wins: a view's before the page's.
  const binding = bound.peek().findLast(({ key }) => key === name);
  if (!binding) return;
  event.preventDefault();
  binding.run();
}
