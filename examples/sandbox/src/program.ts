import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createMicrovmHooks } from '@sallyport/microvm/hooks';

/** The program in the image: counts its visits and returns the owner of the machine. */
export function createProgram() {
  const program = { session: '', visits: 0 };
  const hooks = createMicrovmHooks({
    onRun: ({ session_id }) => {
      program.session = session_id;
    },
  });
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    program.visits += 1;
    const body = JSON.stringify({ path: request.url, session: program.session, visits: program.visits });
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  };
  return { hooks, serve };
}

/** Starts the program: requests on one port, the hooks of the service on another. */
export async function startProgram(port: number, hookPort: number): Promise<readonly Server[]> {
  const { hooks, serve } = createProgram();
  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(port, resolve));
  return [server, await hooks.listen(hookPort)];
}
