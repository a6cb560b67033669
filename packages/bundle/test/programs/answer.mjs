// Sends random requests to a bundle of random-app.ts, and prints the outcomes: node answer.mjs <bundle> <apps> <requests>.
import { pathToFileURL } from 'node:url';

const [, , file, apps, requests] = process.argv;
const { createRandomApp, createRandomRequest } = await import(pathToFileURL(file).href);

const context = {
  awsRequestId: 'request-1',
  functionName: 'notes',
  invokedFunctionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:notes',
  getRemainingTimeInMillis: () => 30_000,
};
const outcomeOf = async (handler, event) => {
  try {
    return JSON.stringify(await handler(event, context));
  } catch (error) {
    return `${error.code} ${error.message}`;
  }
};

const outcomes = [];
for (let app = 0; app < Number(apps); app += 1) {
  const { handler, lines } = createRandomApp(app);
  for (let one = 0; one < Number(requests); one += 1) {
    const event = createRandomRequest(app * 100_003 + one);
    const request = JSON.stringify(event);
    const outcome = await outcomeOf(handler, event);
    outcomes.push({ app, request, outcome, lines: lines.splice(0) });
  }
}
process.stdout.write(JSON.stringify(outcomes));
