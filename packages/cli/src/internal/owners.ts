/** A package that has commands. */
export interface Owner {
  readonly package: string;
  /** The entry that exports the commands. */
  readonly entry: string;
  /** The commands by name, each with a clause for the help, so that the help loads no package. */
  readonly commands: Readonly<Record<string, string>>;
}

/** All commands, in the order of the help. */
export const OWNERS: readonly Owner[] = [
  {
    package: '@sallyport/local',
    entry: '@sallyport/local/command',
    commands: {
      dev: 'runs the function, and shows it at http://127.0.0.1:4700',
      send: 'sends an event to the function of `sallyport dev`',
      explain: 'shows how an event is classified',
      routes: 'lists operations and event handlers',
      openapi: 'prints the OpenAPI document',
      replay: 'sends recordings again, and compares the responses',
      'test-run': 'sends the events of files, compares the results, and writes a JUnit report',
      executions: 'lists the executions of a durable function; skip, stop, kill, restart, complete, fail',
      trace: 'shows a trace of `sallyport dev` as a tree, failures first',
      token: 'prints a token of the local issuer',
      env: 'prints variables for your AWS clients: eval "$(sallyport env)"',
      cold: 'builds as for a deployment, and measures 20 cold starts',
      reset: 'empties tables, buckets and queues',
    },
  },
  {
    package: '@sallyport/bundle',
    entry: '@sallyport/bundle/command',
    commands: {
      build: 'bundles the function for a deployment, optionally with a start cache',
      manifest: 'prints a SAM template or Terraform blocks for the registrations of the application',
    },
  },
  {
    package: '@sallyport/cli',
    entry: '@sallyport/cli/command',
    commands: {
      contract: 'writes the documents of the service; `contract check`, `publish` and `record` compare and share them',
      types: 'writes the types of the contract for callers, producers and tests',
      history: 'writes the history of a durable execution without values, to replay it against a new version',
      redrive: 'lists the messages of a failure queue, and sends them back to their source',
      runbook: 'writes the runbook of the service from its inventory and its template',
      compare: 'runs recorded events through an old and a new handler, and prints the differences',
      doctor: 'compares a deployed stack with its template and its inventory',
    },
  },
];
