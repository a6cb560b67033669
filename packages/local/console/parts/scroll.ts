import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A reference to an element that is scrolled into view when it becomes the current element. */
export function useScrolledTo<E extends HTMLElement>(isCurrent: boolean): RefObject<E | null> {
  const element = useRef<E>(null);
  useEffect(() => {
    if (isCurrent) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  return element;
}
