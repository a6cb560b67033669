/** The rewrites of an examination of the pages: the phrases before must be found, and none of those after. */
export const REWRITES: readonly (readonly [before: string, after: string])[] = [
  [
    'stopped between two invocations, ended at its timeout and at its memory limit',
    'frozen between invocations, and killed when it exceeds its timeout or memory limit',
  ],
  [
    'Every trigger has a door or an engine, and one page shows each event: what it was recognized as, which posture decided, what came back, and what AWS does next.',
    'You can send any trigger locally. The console shows how each event was classified, which posture applied, the response, and what AWS would do next.',
  ],
  ['call a route that is closed', 'call a protected route'],
  ['An MCP endpoint wants tokens of its own audience.', 'An MCP endpoint requires tokens issued for its own audience.'],
  [
    'The address that `sallyport dev` prints has a token behind `#`. The page keeps it for its tab; each run has another one.',
    'The URL that `sallyport dev` prints contains an access token after `#`. The token is valid for this run and stored only in the current tab.',
  ],
  [
    'each event with its result; of one its cause, what AWS does next, the time line, event, answer',
    "All events with their results. Select one to see its cause, AWS's next step, the timeline, the event, the response ",
  ],
  [
    'what waits, counting down; dead letters; what filters, filter policies and rules kept from the function',
    'Waiting messages with countdowns, dead letters, and messages dropped by filters, filter policies or rules',
  ],
  [
    'as nobody or as somebody, invoked by its service, directly or by an agent',
    'anonymously or as a user; invoked by the service, directly, or by an agent',
  ],
  ['A recording lies in `.sallyport/recordings`.', 'Recordings are saved in `.sallyport/recordings`.'],
  [
    'names of registered queues, streams and topics stay',
    'the names of registered queues, streams and topics are kept',
  ],
  ['lists what is real and what is not there', 'lists what is emulated and what is missing'],
  ['names of AWS do not resolve in the function', 'AWS host names do not resolve inside the function'],
  ['What is shown went through the sanitizer.', 'Everything shown is sanitized first.'],
  [
    '`simulate` runs a source against an app in virtual time and says what became of every record.',
    "`simulate` delivers a source's records to an app in virtual time and reports the outcome of each record.",
  ],
  ['each sentence of the table below has a test of its own', 'each row of the table below is covered by a test'],
  ['What is played, by the documentation of AWS:', "The simulated behaviour, following AWS's documentation:"],
  [
    '`duplicates` events come once more though they succeeded, as the `seed` says',
    '`duplicates` successful events are delivered again; `seed` selects which',
  ],
  [
    'a flat or unknown identifier brings back the whole batch',
    'a flat or unknown identifier causes Lambda to retry the whole batch',
  ],
  [
    'a task without a result is what `treatMissingKeysAs` says',
    'a task without a result is treated as `treatMissingKeysAs` specifies',
  ],
  ['Violations of their own are', 'These triggers add the violations '],
  [
    'A person adds the URL of your MCP server to a client, and nothing else.',
    "A user adds only your MCP server's URL to a client.",
  ],
  [
    'What a client asks that is told `https://mcp.example.com/mcp`:',
    'A client that is given `https://mcp.example.com/mcp` sends these requests:',
  ],
  ['the issuer  is the `iss` of tokens, letter by letter', "`issuer` must equal the tokens' `iss` claim exactly"],
  ['something else, which are 403', 'another audience; the server answers those with 403'],
  ['unless the client names itself by a URL', "unless the client's id is a URL"],
  ['for code that nobody trusts', 'for untrusted code'],
  ["Whose is it?  What is somebody else's answers 404.", "Ownership.  Another tenant's session returns 404."],
  [
    'No route without a caller, no token in an answer, row, event or log, no redirect followed',
    'Every route requires an authenticated caller. Tokens never appear in responses, stored rows, events or logs. Redirects are not followed.',
  ],
  ['finishes what a killed instance left', 'cleans up sessions left by terminated instances'],
  ['Programs answer on your origin', 'Responses from the program are served from your origin'],
  [
    'What loads with its first use is a file of its own, which a cold start does not read',
    'Code that is loaded on first use is in separate files, so a cold start does not read it',
  ],
  [
    'what loads with its first use is a file of its own',
    'define once: lazily loaded code is split into separate files',
  ],
  ['These runtimes switch it off', 'these runtimes disable it'],
  [
    'the latter makes one file where it finds one of the two',
    '`bundleFunction` falls back to a single file if it detects either problem',
  ],
  ["a visibility timeout of six times the function's", 'a visibility timeout six times the function timeout'],
  [
    "It warns where API Gateway renames the challenge's header.",
    'It warns if API Gateway renames the `WWW-Authenticate` header.',
  ],
  [
    'none for a caller who is known to be denied, and none for units taken from a reserve',
    '0 for a caller already known to be over the limit, and for units taken from a reservation',
  ],
  [
    'So a write that was applied, but whose answer was lost, is recognized and not done twice.',
    'If a write succeeds but its response is lost, the retry detects that and does not apply it twice.',
  ],
  [
    'ids, names, addresses and account numbers get stand-ins that are equal where the originals were equal',
    'ids, names, addresses and account numbers are replaced consistently: equal values stay equal',
  ],
  [
    'CloudFormation gets one answer for each request, also when the handler throws or the deadline ends it.',
    'CloudFormation receives exactly one response per request, even if the handler throws or times out.',
  ],
  [
    'each may come again for the same version: a step that finds its work done must succeed',
    'Secrets Manager may repeat a step for the same version; make each step idempotent',
  ],
  [
    'It takes any Lambda handler. Of a handler of Sallyport  it also knows routes',
    'It runs any Lambda handler. For Sallyport handlers it also shows routes, ',
  ],
  ['`--aws` lets one service through', '`--aws <service>` allows calls to that AWS service'],
  [
    'puts the CloudFormation template together. After the install none of it needs a network',
    'and synthesizes the CloudFormation template. After installation it works offline.',
  ],
  ['What {@link CognitoTriggerProps} may be.. The kinds of {@link X}.', 'Validators and defaults for {@link X}.'],
  ['`undefined` when there is none', '`undefined` if absent'],
  ['keys for tokens cannot be had', 'could not fetch the signing keys'],
  [
    'The one entrypoint for everything that some surfaces serve.  belongs into `surfaces`',
    'Creates the Lambda handler for the given surfaces.  pass it in `surfaces` instead',
  ],
  ['posture stands behind the handler', 'pass the posture after the handler'],
  ['it is no media type', 'it is not a valid media type'],
  ['start everything, ask the console once, and end', 'start, check that the console responds, and exit'],
  [
    'a handler of your own: routes and triggers are not known',
    'not a Sallyport handler: routes and triggers are unknown',
  ],
];
