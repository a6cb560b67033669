/** Judges every edit of the example `sandbox`. Run in its folder by `scripts/synth.mjs`. */
import { SandboxStack, sandboxInventory } from '../../../../../examples/sandbox/infra/sandbox-stack.js';
import { editsOf } from './edits.js';
import { judgeEdits } from './verdicts.js';

const verdicts = judgeEdits(
  'Sandbox',
  (app, { inventory }) => {
    // Bundles do not matter here, and cost a second each.
    app.node.setContext('aws:cdk:bundling-stacks', []);
    new SandboxStack(app, 'Sandbox', {
      codeBucketName: 'sandbox-images',
      codeKey: 'program.zip',
      baseImageArn: 'arn:aws:lambda:eu-west-1:aws:microvm-image:al2023-1',
      baseImageVersion: '1',
      inventory,
    });
  },
  editsOf(sandboxInventory(), () => true),
);
process.stdout.write(JSON.stringify(verdicts));
