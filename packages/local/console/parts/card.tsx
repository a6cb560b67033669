import type { ComponentChildren } from 'preact';
import { useScrolledTo } from './scroll.js';

interface CardProps {
  /** Its first line. */
  readonly title: ComponentChildren;
  readonly isCurrent: boolean;
  readonly isOpen: boolean;
  /** Opens a closed card and closes an open one. */
  readonly toggle: () => void;
  /** The content of an open card. */
  readonly children: ComponentChildren;
}

/** An entry of a list that opens; the current one is scrolled into view. The view binds `l` to its `toggle`. */
export function Card({ title, isCurrent, isOpen, toggle, children }: CardProps) {
  const element = useScrolledTo<HTMLDetailsElement>(isCurrent);
  // The browser reports also a change that the page has made.
  const onToggle = ({ currentTarget }: { readonly currentTarget: HTMLDetailsElement }) => {
    if (currentTarget.open !== isOpen) toggle();
  };
  return (
    <details
      ref={element}
      class={isCurrent ? 'card choice-mark current' : 'card choice-mark'}
      aria-current={isCurrent || undefined}
      open={isOpen}
      onToggle={onToggle}
    >
      <summary aria-keyshortcuts="l">{title}</summary>
      {isOpen && children}
    </details>
  );
}
