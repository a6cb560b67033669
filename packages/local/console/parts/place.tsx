import type { OpenRequest } from '../../src/internal/console/api.js';
import { call } from '../api.js';
import { attempt, run } from '../store.js';

/** A place in a file of the project: a button that opens the editor of the run, else a link that VS Code opens. */
export function Place({ file, line, column }: OpenRequest) {
  const text = `${file}:${line}:${column}`;
  if (!run.value) return <code>{text}</code>;
  const { editor, folder } = run.value;
  if (editor === null) {
    // https://code.visualstudio.com/docs/configure/command-line#_opening-vs-code-with-urls
    const path = encodeURI(`${folder.replaceAll('\\', '/')}/${file}`.replace(/^(?!\/)/, '/'));
    return (
      <a href={`vscode://file${path}:${line}:${column}`}>
        <code>{text}</code>
      </a>
    );
  }
  const open = () =>
    void attempt(`Opened ${text} in ${editor}`, () => call('POST /api/open', { body: { file, line, column } }));
  return (
    <button type="button" class="place" onClick={open}>
      <code>{text}</code>
      <span class="hidden">: open in {editor}</span>
    </button>
  );
}
