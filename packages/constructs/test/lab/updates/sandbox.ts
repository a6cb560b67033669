/** Judges every edit of the example `sandbox`. Run in its folder by `scripts/synth.mjs`. */
import { SandboxStack, sandboxInventory } from '../../../../../examples/sandbox/infra/sandbox-stack.js';
import { editsOf } from './edits.js';
import { judgeEdits } from './verdicts.js';

judgeEdits(
  'Sandbox',
  (app, inventory) =>
    new SandboxStack(app, 'Sandbox', {
      codeBucketName: 'sandbox-images',
      codeKey: 'program.zip',
      baseImageArn: 'arn:aws:lambda:eu-west-1:aws:microvm-image:al2023-1',
      baseImageVersion: '1',
      inventory,
    }),
  editsOf(sandboxInventory(), () => true),
);
