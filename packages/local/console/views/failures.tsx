import type { Failure } from '../../src/internal/journal/failure-record.js';
import { Text } from '../parts/json.js';
import { Place } from '../parts/place.js';

/** The failures of an invocation, above its other facts. */
export function Failures({ failures }: { readonly failures: readonly Failure[] }) {
  if (failures.length === 0) return null;
  return (
    <section class="failures" aria-label="Failure">
      {failures.map((failure, index) => (
        <One key={index} failure={failure} />
      ))}
    </section>
  );
}

function One({ failure }: { readonly failure: Failure }) {
  const { type, message, record, causes, frames, otherFrames, code, hint, stderr } = failure;
  return (
    <article class="failure">
      <p class="message">
        {record !== null && <code>{record}</code>} <b>{type}</b> {message}
      </p>
      {code.length > 0 && (
        <Text
          label="Source"
          text={code
            .map(({ line, text, isHere }) => `${isHere ? '>' : ' '} ${String(line).padStart(4)} | ${text}`)
            .join('\n')}
        />
      )}
      {frames.length > 0 && (
        <ol class="frames" aria-label="Frames">
          {frames.map(({ file, line, column, name }, index) => (
            <li key={index}>
              <Place file={file} line={line} column={column} /> {name}
            </li>
          ))}
          {otherFrames > 0 && <li class="quiet">and {otherFrames} frames outside the project</li>}
        </ol>
      )}
      {causes.map((cause, index) => (
        <p key={index}>
          caused by <b>{cause.type}</b> {cause.message}
        </p>
      ))}
      {stderr.length > 0 && <Text label="Standard error" text={stderr.join('\n')} />}
      {hint !== null && <p class="hint">{hint}</p>}
    </article>
  );
}
