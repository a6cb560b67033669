import type { Difference } from '@sallyport/testkit/events';

/** Results that would differ on AWS, each with a link to AWS's documentation. */
export function Differences({ differences }: { readonly differences: readonly Difference[] }) {
  if (differences.length === 0) return null;
  return (
    <section class="differences" aria-label="On AWS">
      <h3>On AWS</h3>
      <ul>
        {differences.map(({ topic, text, source }) => (
          <li key={`${topic} ${text}`}>
            {text}{' '}
            <a href={source} rel="noreferrer" target="_blank">
              AWS documentation
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
