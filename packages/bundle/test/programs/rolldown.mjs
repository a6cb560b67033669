// Rolldown cannot run in a context of Jest: node rolldown.mjs <entry> <file> <conditions, separated by commas>.
import { rolldown } from 'rolldown';

const [, , input, file, conditions] = process.argv;
const made = await rolldown({
  input,
  platform: 'node',
  external: (id) => /^(?:node:|@aws-sdk\/)/.test(id),
  resolve: { conditionNames: ['node', 'import', ...conditions.split(',')] },
  logLevel: 'silent',
});
await made.write({ file, format: 'esm', codeSplitting: false, minify: true });
await made.close();
