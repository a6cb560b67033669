import { writeFileSync } from 'node:fs';
import { RUNBOOK_COMMAND } from '@sallyport/cli/command';
import { runIn } from './support/dev.js';
test('x', async () => {
  const { code, out, err } = await runIn('/tmp/ops-notes', RUNBOOK_COMMAND.run, ['Notes.template.json', '--manifest', 'sallyport.json']);
  writeFileSync('/tmp/ops-runbook.md', out);
  console.log(code, err);
});
