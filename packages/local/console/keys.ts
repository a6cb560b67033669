import { computed, type Signal, signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';

/** A key and what it does, for the list of keys. */
export interface KeyBinding {
  readonly key: string;
  readonly does: string;
  readonly run: () => void;
}

const ofPage = signal<readonly KeyBinding[]>([]);
const ofView = signal<readonly KeyBinding[]>([]);

/** What each key does now. A key that the view uses has the meaning of the view, not that of the page. */
export const bindings = computed(() => {
  const meanings = new Map([...ofPage.value, ...ofView.value].map((binding) => [binding.key, binding]));
  return [...meanings.values()];
});

/** Gives keys a meaning while the component is shown. */
export function useKeys(keys: readonly KeyBinding[]): void {
  useBound(ofView, keys);
}

/** Gives keys a meaning in every view that does not use them itself. */
export function usePageKeys(keys: readonly KeyBinding[]): void {
  useBound(ofPage, keys);
}

/** Before the page is painted: a key that is pressed as soon as the view is seen has the meaning of that view. */
function useBound(bound: Signal<readonly KeyBinding[]>, keys: readonly KeyBinding[]): void {
  useLayoutEffect(() => {
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
    target.closest('input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]') !== null
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
  const binding = bindings.peek().find(({ key }) => key === name);
  if (!binding) return;
  event.preventDefault();
  binding.run();
}
