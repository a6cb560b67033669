import { useEffect, useRef } from 'preact/hooks';
import type { EditorHandle } from './codemirror.js';

/** A field for JSON: a plain field until the editor has loaded. */
export function JsonEditor(props: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}) {
  const { label, value, onChange } = props;
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorHandle | null>(null);
  const changed = useRef(onChange);
  changed.current = onChange;
  useEffect(() => {
    let gone = false;
    const load = import('./codemirror.js').then(({ createEditor }) => {
      if (gone || !place.current) return;
      editor.current = createEditor(place.current, { label, text: value, onChange: (text) => changed.current(text) });
    });
    void load;
    return () => {
      gone = true;
      editor.current?.destroy();
      editor.current = null;
    };
  }, [label]);
  useEffect(() => editor.current?.setText(value), [value]);
  return <div class="editor" ref={place} />;
}
