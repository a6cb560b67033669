/** Longer values are shown without colours. */
const MAX_COLOURED = 100_000;
/** Longer values are truncated: a page does not show megabytes well. */
const MAX_SHOWN = 1_000_000;

const TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

/** Shows a value as JSON, read-only. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  const text = value === undefined ? '' : (JSON.stringify(value, null, 2) ?? String(value));
  const cut = text.length > MAX_SHOWN;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by key */}
      <section class="json" tabIndex={0} aria-label={label}>
        {text.length > MAX_COLOURED ? text.slice(0, MAX_SHOWN) : coloured(text)}
      </section>
      {cut && <p class="hint">{text.length - MAX_SHOWN} more characters are not shown.</p>}
    </>
  );
}

function coloured(text: string) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, string, colon] = match;
    parts.push(text.slice(end, match.index));
    const kind = colon ? 'key' : string ? 'string' : 'atom';
    parts.push(<span class={`json-${kind}`}>{string ?? whole}</span>, colon ?? '');
    end = match.index + whole.length;
  }
  parts.push(text.slice(end));
  return parts;
}

/** Shows a string read-only: a body, a line of code. */
export function Text({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by key
    <section class="json" tabIndex={0} aria-label={label}>
      {text.slice(0, MAX_SHOWN)}
    </section>
  );
}
