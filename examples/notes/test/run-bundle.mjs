// `node test/run-bundle.mjs <bundle>`: loads a deployed bundle and sends it the events of standard input, one JSON document a line. Prints
// one line an answer, which begins with `answer `: the service logs there, too.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const { handler } = await import(pathToFileURL(process.argv[2]).href);
const context = { awsRequestId: 'request', getRemainingTimeInMillis: () => 20_000 };
for await (const line of createInterface({ input: process.stdin })) {
  const answer = await handler(JSON.parse(line), context).catch((error) => ({ rejected: error.message }));
  process.stdout.write(`answer ${JSON.stringify(answer ?? null)}\n`);
}
