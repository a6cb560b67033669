// `node test/run-bundle.mjs <bundle>`: loads a deployed bundle and sends it the events of standard input, one JSON document per line. Prints
// one line per response, which begins with `answer `, because the service also logs there.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const { handler } = await import(pathToFileURL(process.argv[2]).href);
const context = { awsRequestId: 'request', getRemainingTimeInMillis: () => 20_000 };
for await (const line of createInterface({ input: process.stdin })) {
  const answer = await handler(JSON.parse(line), context).catch((error) => ({ rejected: error.message }));
  process.stdout.write(`answer ${JSON.stringify(answer ?? null)}\n`);
}
