import { signal } from '@preact/signals';

/** The views, in the order of the navigation and of the keys 1 to 9, 0 and g. */
export const VIEWS = [
  'invocations',
  'triggers',
  'queues',
  'tables',
  'send',
  'mcp',
  'api',
  'recordings',
  'traces',
  'contract',
  'executions',
] as const;

/** The key of a view. */
export const keyOf = (index: number) => KEYS[index] ?? '';

const KEYS = '1234567890g';

export type View = (typeof VIEWS)[number];

/** The view in the address, and the selection in it: `#/invocations/241`. */
export const view = signal<View>('invocations');
export const selected = signal('');

export function readAddress(): void {
  const [, name = '', rest = ''] = /^#\/(\w+)(?:\/(.*))?$/.exec(location.hash) ?? [];
  view.value = VIEWS.find((one) => one === name) ?? 'invocations';
  selected.value = decodeURIComponent(rest);
}

/** Shows a view. If the view changes, it gets the focus, so that the next Tab is in it. */
export function go(to: View, select = ''): void {
  const address = `#/${to}${select === '' ? '' : `/${encodeURIComponent(select)}`}`;
  const isOther = view.peek() !== to;
  if (location.hash !== address) history.pushState(null, '', address);
  readAddress();
  if (isOther) document.querySelector('main')?.focus();
}
