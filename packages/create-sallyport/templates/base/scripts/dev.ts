// The service on this machine, as Lambda runs it: needs @sallyport/local.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const command = 'node_modules/.bin/sallyport';
if (existsSync(command)) {
  const { status } = spawnSync(command, ['dev', 'src/lambda.ts', ...process.argv.slice(2)], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
} else {
  console.error('The local runtime is not installed: add the package @sallyport/local to the devDependencies.');
  console.error('Until then the tests run the service: npm test');
  process.exitCode = 1;
}
