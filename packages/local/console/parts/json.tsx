import { marked, markOf, RevealButtons, type Reveals } from './reveal.js';

/** Longer values are shown without colours. */
const MAX_COLOURED = 100_000;
/** Longer values are truncated: a page does not show megabytes well. */
const MAX_SHOWN = 1_000_000;

const TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

interface JsonProps {
  readonly value: unknown;
  readonly label: string;
  /** The hidden places of the value: each has a button. */
  readonly reveals?: Reveals | undefined;
}

/** Shows a value as JSON, read-only. */
export function Json({ value, label, reveals }: JsonProps) {
  const { copy, marks } = reveals ? marked(value, reveals.places) : { copy: value, marks: [] };
  const text = copy === undefined ? '' : (JSON.stringify(copy, null, 2) ?? String(copy));
  const shown = (token: string) => {
    const mark = marks[markOf(token) ?? -1];
    if (!reveals || !mark) return token;
    return (
      <>
        {JSON.stringify(mark.shown)} <RevealButtons reveals={reveals} places={mark.places} />
      </>
    );
  };
  const cut = text.length > MAX_SHOWN;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by key */}
      <section class="json" tabIndex={0} aria-label={label}>
        {text.length > MAX_COLOURED ? text.slice(0, MAX_SHOWN) : coloured(text, shown)}
      </section>
      {cut && <p class="hint">{text.length - MAX_SHOWN} more characters are not shown.</p>}
    </>
  );
}

function coloured(text: string, shown: (token: string) => preact.ComponentChild) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, string, colon] = match;
    parts.push(text.slice(end, match.index));
    const kind = colon ? 'key' : string ? 'string' : 'atom';
    parts.push(<span class={`json-${kind}`}>{string ? shown(string) : whole}</span>, colon ?? '');
    end = match.index + whole.length;
  }
  parts.push(text.slice(end));
  return parts;
}

/** Shows a string read-only: a body, a line of code. The buttons for its hidden places follow it. */
export function Text(props: { readonly text: string; readonly label: string; readonly reveals?: Reveals | undefined }) {
  const { text, label, reveals } = props;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by key */}
      <section class="json" tabIndex={0} aria-label={label}>
        {text.slice(0, MAX_SHOWN)}
      </section>
      {reveals && reveals.places.length > 0 && (
        <ul class="reveals">
          {reveals.places.map((place) => (
            <li key={place.path.join('.')}>
              <code>{place.path.join('.')}</code> <RevealButtons reveals={reveals} places={[place]} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
