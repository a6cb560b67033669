import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';

/** One panel of {@link Tabs}. */
export interface Tab {
  readonly name: string;
  readonly title: string;
  readonly content: () => ComponentChildren;
}

/** Panels of which one is shown. Arrow keys change it, as in the WAI-ARIA pattern. */
export function Tabs({ tabs, label }: { readonly tabs: readonly Tab[]; readonly label: string }) {
  const id = useId();
  const [wanted, setWanted] = useState(tabs[0]?.name ?? '');
  const index = Math.max(
    0,
    tabs.findIndex(({ name }) => name === wanted),
  );
  const shown = tabs[index];
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const next = tabs[(index + step + tabs.length) % tabs.length];
    if (!next) return;
    setWanted(next.name);
    document.getElementById(`${id}-${next.name}`)?.focus();
  };
  return (
    <section class="tabs">
      <div role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(({ name, title }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === shown?.name}
            aria-controls={`${id}-panel`}
            tabIndex={name === shown?.name ? 0 : -1}
            onClick={() => setWanted(name)}
          >
            {title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${shown?.name ?? ''}`}>
        {shown?.content()}
      </div>
    </section>
  );
}
