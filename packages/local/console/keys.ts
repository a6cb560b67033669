import { computed, type Signal, signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';

/** A key and its action, for the list of keys. */
export interface KeyBinding {
  readonly key: string;
  readonly does: string;
  readonly run: () => void;
}

const ofPage = signal<readonly KeyBinding[]>([]);
const ofView = signal<readonly KeyBinding[]>([]);

/** The current action of each key. The keys of a view take precedence over the keys of the page. */
export const bindings = computed(() => {
  const meanings = new Map([...ofPage.value, ...ofView.value].map((binding) => [binding.key, binding]));
  return [...meanings.values()];
});

/** Binds keys while the component is shown. */
export function useKeys(keys: readonly KeyBinding[]): void {
  useBound(ofView, keys);
}

/** Binds keys in every view that does not bind them itself. */
export function usePageKeys(keys: readonly KeyBinding[]): void {
  useBound(ofPage, keys);
}

/** Before the page is painted: a key pressed as soon as the view is visible has the action of that view. */
function useBound(bound: Signal<readonly KeyBinding[]>, keys: readonly KeyBinding[]): void {
  useLayoutEffect(() => {
    bound.value = [...bound.peek(), ...keys];
    return () => {
      bound.value = bound.peek().filter((one) => !keys.includes(one));
    };
  });
}

/** In fields, letters are input; only Escape leaves a field. */
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
