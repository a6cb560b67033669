/** Judges every edit of the example `sandbox`. Run in its folder by `scripts/synth.mjs`. */
import { SandboxStack, sandboxInventory } from '../../../../../examples/sandbox/infra/sandbox-stack.js';
import { ServiceWiring } from '../../../src/index.js';
import { type Edit, editsOf, keyOf } from './edits.js';
import { judgeEdits } from './verdicts.js';

/** Runs the code of the stack, whose controller attaches its schedule under the edited name. */
function withEdit({ renamed }: Edit, run: () => void): void {
  const { schedule } = ServiceWiring.prototype;
  ServiceWiring.prototype.schedule = function (this: ServiceWiring, ruleName, ...rest) {
    const key = keyOf({ kind: 'event-bus', selector: { ruleName } });
    const next = renamed.has(key) ? renamed.get(key) : ruleName;
    return next === undefined ? this : schedule.call(this, next, ...rest);
  } as typeof schedule;
  try {
    run();
  } finally {
    ServiceWiring.prototype.schedule = schedule;
  }
}

const verdicts = judgeEdits(
  'Sandbox',
  (app, edit) => {
    // Bundles do not matter here, and cost a second each.
    app.node.setContext('aws:cdk:bundling-stacks', []);
    withEdit(edit, () => {
      new SandboxStack(app, 'Sandbox', {
        codeBucketName: 'sandbox-images',
        codeKey: 'program.zip',
        baseImageArn: 'arn:aws:lambda:eu-west-1:aws:microvm-image:al2023-1',
        baseImageVersion: '1',
        inventory: edit.inventory,
      });
    });
  },
  editsOf(sandboxInventory()),
);
process.stdout.write(JSON.stringify(verdicts));
