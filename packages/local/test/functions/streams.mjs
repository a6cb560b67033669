// A handler that streams, as AWS's documentation writes one.
export const handler = awslambda.streamifyResponse(async (event, stream) => {
  const path = event.rawPath ?? event.path;
  const head = { statusCode: 201, headers: { 'content-type': 'text/plain' }, cookies: ['a=1', 'b=2'] };
  const answer = awslambda.HttpResponseStream.from(stream, head);
  answer.write('one,');
  if (path === '/much') {
    // Waits when the reader is slow, as a pipeline does.
    for (let part = 0; part < 400; part += 1)
      if (!answer.write(Buffer.alloc(256 * 1024))) await new Promise((resolve) => answer.once('drain', resolve));
    return void answer.end();
  }
  if (path === '/fails') throw new Error('in the middle');
  // The client has the first chunk before the second one is written.
  await fetch(process.env.BARRIER);
  answer.write('two');
  answer.end();
});
