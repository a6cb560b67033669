/** Where a phrase is looked for: pages, comments, strings that people read (errors, logs, help, console), titles of tests. */
export type Place = 'page' | 'comment' | 'string' | 'title';

/** A phrase that readers stop at. */
export interface Pattern {
  readonly find: RegExp;
  /** The usual words, or the rule of `design/english.md`. */
  readonly write: string;
  /** Default: everywhere. */
  readonly places?: readonly Place[];
  /** A sentence that the pattern must find. */
  readonly bad: string;
  /** A sentence that it must not find. */
  readonly good: string;
}

/**
 * The phrases. Code spans are blank when they are compared: `` `x` `` is `` ` ` ``. A comment, a table cell and a string begin at `^`.
 *
 * Add a phrase with a sentence for each side; `words.test.ts` reads both.
 */
export const PATTERNS: readonly Pattern[] = [
  // Words
  {
    find: /\ba text\b|\btexts\b/gim,
    write: 'a string; for prose: text',
    bad: 'Throws for a text that is not JSON.',
    good: 'Returns the body as text.',
  },
  {
    find: /\b(?:the|an empty|an equal|another|other|same|whole) text (?:of (?:a|an|the|its|two) |is |was |has |that )/gim,
    write: 'the string, the message',
    bad: 'Compares it with the text of a header.',
    good: 'Writes the text to the console.',
  },
  {
    find: /\btakes?\b(?! (?:place|effect|precedence|priority|part|over|care|longer|too long|as long|so long|time|up to|about|at (?:most|least)|\d|seconds|minutes|milliseconds|hours|a (?:while|lock|snapshot|screenshot|few|lease)|the lock|into account|advantage))/gim,
    write: 'accepts, receives',
    bad: 'The function takes an event.',
    good: 'A cold start takes 12 ms.',
  },
  {
    find: /\bgives?\b(?! up)(?: back)?/gim,
    write: 'returns, passes',
    bad: 'The reader gives back an object.',
    good: 'Lambda gives up after six hours.',
  },
  {
    find: /\bhand(?:s|ed|ing)? (?:it |them |its \w+ )?(?:on|over|to|back|out)\b/gim,
    write: 'passes, returns',
    bad: 'The router hands it on to the next one.',
    good: 'A hand-written parser.',
  },
  {
    find: /\brefus(?:e|es|ed|ing|al|als)\b(?<!connection refused)/gim,
    write: 'rejects, is rejected, rejection',
    bad: 'A second container is refused.',
    good: 'A second container is rejected.',
  },
  {
    find: /\bbehind\b(?! (?:a |an |the |another |your |its |our )?(?:prox|reverse|load balancer|CDN|CloudFront|API Gateway|firewall|NAT))/gim,
    write: 'after, under',
    bad: 'The posture stands behind the handler.',
    good: 'Runs behind a proxy.',
  },
  {
    find: /\bstands?\b(?![- ]?(?:for|alone|by)\b|-in)|\bstood\b/gim,
    write: 'is, follows, is in',
    bad: 'The limit stands beside the key.',
    good: 'TTL stands for time to live.',
  },
  { find: /\bbeside\b/gim, write: 'next to, with', bad: 'It lies beside the file.', good: 'Besides, it is free.' },
  { find: /\bbelow `/gim, write: 'under `/x`', bad: 'All routes below `/admin`.', good: 'All routes under `/admin`.' },
  {
    find: /\b(?:one|ones|those|that|these) (?:that|who|which|whose|of which|in which|without|with (?:a|an|the|more|only))\b(?<!that that)|(?<=\b(?:as|than|from|of|for|with|to|and|or|is|are|by) )(?:that|those) (?:of|in|from|for|on|with)\b/gim,
    write: 'the noun again',
    bad: 'The limit of one that has no key is that of the default.',
    good: 'A limiter without a key uses the default limit.',
  },
  {
    find: /\b(?:of|on|in|with|by|to) (?:its|their|his|her|your|our|my|one's|an?other's) own\b/gim,
    write: 'its own …, separate',
    bad: 'The part is a file of its own.',
    good: 'Each part is a separate file; it uses its own cache.',
  },
  {
    find: /\b(?:somebody|someone|nobody|no one|whoever|whomever|anybody|everybody|everyone)\b/gim,
    write: 'a user, an anonymous caller, any caller',
    bad: 'Nothing is open until somebody said so.',
    good: 'Nothing is open until a user says so.',
  },
  {
    find: /\b(?:there|that) (?:is|are|was|were) none\b|\b(?:has|have|had|with|is|are|be|was|were|or|of) none\b/gim,
    write: '`undefined` if absent',
    bad: 'The tenant; empty when there is none.',
    good: 'The tenant, or undefined if absent.',
  },
  {
    find: /\bthe (?:latter|former)\b/gim,
    write: 'the noun again',
    bad: 'The latter makes one file.',
    good: 'The bundler makes one file.',
  },
  // Movement
  {
    find: /\b(?:comes?|came|coming) (?:again|out|back|once more|twice|later|before|first|last|next|along)\b/gim,
    write: 'is retried, is redelivered, is returned, response',
    bad: 'The message comes again.',
    good: 'Lambda retries the message.',
  },
  { find: /\b(?:go|goes|went|going) on\b/gim, write: 'continues', bad: 'The run goes on.', good: 'The run continues.' },
  {
    find: /\b(?:go|goes|went|going) (?:away|through|into|out|back|along|with|before|there|in)\b/gim,
    write: 'passes, is sent, is removed, takes precedence',
    bad: 'The option goes before the variable.',
    good: 'The option takes precedence over the variable.',
  },
  {
    find: /\bstay(?:s|ed|ing)?\b(?! equal)/gim,
    write: 'is kept, is unchanged, remains',
    bad: 'The name stays as it is.',
    good: 'The name is kept.',
  },
  {
    find: /\b(?:lie|lies|lay|lain) (?:in|on|under|beside|between|below|at|there|with|next|outside|inside)\b/gim,
    write: 'is in, is stored in',
    bad: 'A recording lies in the folder.',
    good: 'A recording is stored in the folder.',
  },
  {
    find: /\b(?:is|are|was|were|be|been|being|gets?) ended\b|\bends? (?:it|them|him|a (?:run|process|function|program)|the (?:function|process|program|invocation|run|machine|session))\b/gim,
    write: 'times out, is stopped, is killed',
    bad: 'The deadline ends it, and the process is ended.',
    good: 'The process is killed at the deadline.',
  },
  {
    find: /\b(?:brings?|brought|bringing)\b/gim,
    write: 'returns, causes, includes',
    bad: 'A flat identifier brings back the whole batch.',
    good: 'A flat identifier causes Lambda to retry the whole batch.',
  },
  {
    find: /\b(?:puts?|putting) (?:\w+ ){0,3}?(?:together|back|into place|aside|right)\b/gim,
    write: 'combines, builds, restores',
    bad: 'It puts the template together.',
    good: 'It builds the template.',
  },
  {
    find: /\blets? (?:\w+ ){0,3}?(?:through|pass|in|out|by)\b/gim,
    write: 'allows, accepts',
    bad: 'The option lets one service through.',
    good: 'The option allows calls to one service.',
  },
  {
    find: /\bswitch(?:es|ed|ing)? (?:\w+ ){0,3}?(?:off|on)\b/gim,
    write: 'disables, enables',
    bad: 'These runtimes switch it off.',
    good: 'These runtimes disable it.',
  },
  {
    find: /\b(?:makes?|made|making) (?:one|two|no|more) (?:file|files|call|calls|request|requests|difference)\b(?<!difference)/gim,
    write: 'produces, sends',
    bad: 'It makes one file.',
    good: 'It sends one request.',
  },
  {
    find: /\bout of (?:it|them|the|a|an|its|this|one)\b(?<!out of the box)/gim,
    write: 'from',
    bad: 'It is read out of the header.',
    good: 'It is read from the header.',
  },
  // Verbs of people
  {
    find: /\b(?:it|they|he|she|nothing|everything|something|which|that|\w+s?) (?:asks?|asked)\b(?<!\b(?:you|user|users|person|people|client|clients|caller|callers|we|I|they) (?:asks?|asked))|^asks?\b/gim,
    write: 'reads, checks, calls, requests',
    bad: 'The limiter asks the store.',
    good: 'The limiter reads the store.',
  },
  {
    find: /\b(?:is|are|was|were|be|been|being) (?:asked|told)\b|\btells?\b|\btold\b/gim,
    write: 'reports, receives, is notified of',
    bad: 'The client is told the address.',
    good: 'The client receives the address.',
  },
  {
    find: /\b(?:knows?|knew)\b(?<!\b(?:you|must|we|to|users?) know)/gim,
    write: 'has, stores, recognizes',
    bad: 'The table knows the session.',
    good: 'What you need to know before you deploy.',
  },
  {
    find: /\bwants?\b|\bwanted\b(?<!\b(?:you|users?|caller|callers) wants?)/gim,
    write: 'requires, expects',
    bad: 'An endpoint wants tokens.',
    good: 'An endpoint requires tokens.',
  },
  {
    find: /\bsays?\b(?! (?:the|RFC))|\bsaid\b/gim,
    write: 'reports, specifies, shows',
    bad: 'The row says what became of it.',
    good: 'The row reports the outcome.',
  },
  {
    find: /\bdecides?\b(?<!\b(?:you|must|we|to|users?|policy|policies|caller) decide)/gim,
    write: 'determines, selects, applies',
    bad: 'The event decides which posture.',
    good: 'The event determines the posture.',
  },
  {
    find: /\b(?:is|are|was|were|be|been) (?:seen|met)\b|\bwhat is seen\b/gim,
    write: 'is observed, is visible, occurs',
    bad: 'The bytes that were seen.',
    good: 'The observed bytes.',
  },
  {
    find: /\b(?:believes?|believed|trusts? (?:it|that|what)|remembers?|remembered|forgets?|forgot|learns?|notices?|thinks?|hopes?|tries hard)\b/gim,
    write: 'accepts, stores, discards, detects',
    bad: 'The instance remembers the session.',
    good: 'The instance stores the session.',
  },
  {
    find: /\b(?:holds? (?:for|with|true|everywhere|also|only|in|when|if|without)|(?:rule|rules|sentence|claim|check|condition|promise|gate|gates|this|same) holds?)\b/gim,
    write: 'is true, passes, applies',
    bad: 'The rule holds for queues too.',
    good: 'The rule applies to queues too.',
  },
  {
    find: /\blook(?:s|ed)? (?:at|through)\b(?<!\byou look at)/gim,
    write: 'reads, checks',
    bad: 'The reader looks at the key.',
    good: 'The reader checks the key.',
  },
  {
    find: /\bwaits? for (?:it|them|what|that)\b|\bwhat waits\b/gim,
    write: 'waiting messages, waits for the …',
    bad: 'The view shows what waits.',
    good: 'The view shows waiting messages.',
  },
  // Omitted or vague words
  {
    find: /\b(?:is|are|was|were|be) to be (?:had|found|seen|read|done)\b|\bbe had\b/gim,
    write: 'is not available, could not be fetched',
    bad: 'Keys cannot be had.',
    good: 'Keys are not available.',
  },
  {
    find: /\balso (?:when|if|where|after|before|without)\b/gim,
    write: 'even if; "also" before the verb',
    bad: 'Answers once, also when the handler throws.',
    good: 'Answers once, even if the handler throws.',
  },
  {
    find: /\b(?:whatever|however (?:many|much|long|large|small|often)|whichever|wherever|whenever)\b/gim,
    write: 'any, regardless of, each time',
    bad: 'Answers whatever the handler returns.',
    good: 'Answers regardless of the returned value.',
  },
  {
    find: /\bfor ever\b|\bfor good\b/gim,
    write: 'forever, indefinitely, permanently',
    bad: 'The lock is kept for ever.',
    good: 'The lock is kept forever.',
  },
  {
    find: /\bat once\b/gim,
    write: 'immediately; at the same time',
    bad: 'The call returns at once.',
    good: 'The call returns immediately.',
  },
  {
    find: /\bby (?:itself|themselves)\b/gim,
    write: 'automatically; alone',
    bad: 'It renews by itself.',
    good: 'It renews automatically.',
  },
  {
    find: /\bletter (?:by|for) letter\b/gim,
    write: 'exactly equal',
    bad: 'It is compared letter by letter.',
    good: 'It must be exactly equal.',
  },
  {
    find: /\bwho (?:calls?|may|can|asks?|sends?|knows?)\b(?<!\b(?:engineers?|users?|developers?|people|callers?|readers?) who \w+)/gim,
    write: 'the caller, the user; required permissions',
    bad: 'The route states who may call it.',
    good: 'The route states its required permissions.',
  },
  {
    find: /\b(?:is|are|was|were) no (?!longer|more|less|way|such|different|use\b|need|reason|one\b)(?:[\w-]+)(?<!there (?:is|are|was|were) no [\w-]+)/gim,
    write: 'is not a …',
    bad: 'The value is no media type.',
    good: 'There is no default; the value is not a media type.',
  },
  {
    find: /\b(?:is|are|was|were|be|not) (?:done|made|sent|written|called|handled) (?:twice|once more|a second time)\b/gim,
    write: 'runs twice; Lambda delivers it again',
    bad: 'The work is done twice.',
    good: 'The work runs twice.',
  },
  {
    find: /\bonce more\b|\ba further time\b|\bover again\b|\banew\b/gim,
    write: 'again',
    bad: 'It is delivered once more.',
    good: 'It is delivered again.',
  },
  { find: /\bbecame of\b|\bbecomes of\b/gim, write: 'the outcome', bad: 'What became of it.', good: 'Its outcome.' },
  {
    find: /\b(?:with|without|has|have|for|of|to|is|as|by|before|after|from|instead of|than|like) one(?=[.,;:)]|$| (?:and|or|is|are|was)\b)/gim,
    write: 'the noun again',
    bad: 'Requests without one are rejected; a limit is better than one.',
    good: 'Requests without a token are rejected.',
  },
  {
    find: /\b(?:as|like) (?:it|they) (?:is|are|was|were|comes?|came|stands?)\b(?! (?:not|now))/gim,
    write: 'unchanged',
    bad: 'The body is passed as it is.',
    good: 'The body is passed unchanged.',
  },
  {
    find: /\bno (?:further|second|other) one\b|\banother one\b|\bthe other one\b|\beach one\b|\bevery one\b|\bany one\b/gim,
    write: 'the noun again',
    bad: 'Each run has another one.',
    good: 'Each run has its own token.',
  },
  {
    find: /\bnothing (?:else|of|that|but|more)\b/gim,
    write: 'only …; name the thing',
    bad: 'It reads the header and nothing else.',
    good: 'It reads only the header.',
  },
  {
    find: /\beverything (?:that|of|which)\b|\ball that (?:is|are|was|were|it|has)\b/gim,
    write: 'all …, with the noun',
    bad: 'It sanitizes everything that is logged.',
    good: 'It sanitizes all logged values.',
  },
  {
    find: /\bwhat (?:(?:is|are|was|were) (?:shown|seen|left|there|not|said|asked|done|open|sent|stored|played|given|known|needed|called|registered|loaded|written|read)|has|have|comes?|came|loads?|waits?|filters?|belongs?|follows?|fails?|failed|arrives?|arrived|needs?|made|remains?|runs?|must|may|can|does|stands?|lies|holds?|gets?|costs?|uses?|reads?|serves?)\b(?! (?:the difference|new|happen|happening|wrong))/gim,
    write: 'a noun instead of the relative clause',
    bad: 'The store has what comes.',
    good: 'Returns the stored value.',
  },
  {
    find: /^(?:what|whether|who|where|how|which|when|why)\b(?![^.]*\?$)/gim,
    write: 'a noun or a verb first',
    places: ['comment'],
    bad: 'Whether the key is known.',
    good: 'True if the key is known.',
  },
  {
    find: /\bWhat \{@link [\w.]+\} may (?:be|have)\b|\bThe kinds of \{@link/gm,
    write: 'Validators and defaults for {@link X}.',
    bad: 'What {@link QueueTriggerProps} may be.',
    good: 'Validators and defaults for {@link QueueTriggerProps}.',
  },
  {
    find: /\bmay (?:be|have) (?:at most|up to|one of|any|a|an|the|only|more|several|no|empty|left out|absent)\b/gim,
    write: 'accepts, is optional, at most',
    bad: 'The name may be at most 64 letters, and may be left out.',
    good: 'The name is optional; at most 64 letters.',
  },
  {
    find: /\b(?:person|persons|people)\b(?! who)/gim,
    write: 'a user, an engineer',
    bad: 'A person adds the URL.',
    good: 'A user adds the URL.',
  },
  {
    find: /\bbelong(?:s|ed)? (?:into|there|here)\b/gim,
    write: 'pass it in …, is part of',
    bad: 'A queue belongs into the list.',
    good: 'Pass queues in the list.',
  },
  // Phrases that readers with another mother tongue have to guess
  {
    find: /, `[^`\n]*` say\b/gm,
    write: 'for example `x`',
    bad: 'A code, `x` say.',
    good: 'A code, for example `x`.',
  },
  { find: /\b(?:in|out)side of\b/gim, write: 'inside, outside', bad: 'Inside of a group.', good: 'Inside a group.' },
  {
    find: /\bheld against\b/gim,
    write: 'compared with, validated with',
    bad: 'It is held against the schema.',
    good: 'It is validated with the schema.',
  },
  {
    find: /\btold apart\b|\btell apart\b/gim,
    write: 'distinguished',
    bad: 'Both are told apart.',
    good: 'Both differ.',
  },
  { find: /\bmend(?:s|ed|ing)?\b/gim, write: 'fix, repair', bad: 'The bug is mended.', good: 'The bug is fixed.' },
  { find: /\bunder way\b/gim, write: 'in progress', bad: 'A call under way.', good: 'A call in progress.' },
  {
    find: /\b(?:stand-ins?|desk|remarks?)\b/gim,
    write: 'replacement; settings; note',
    bad: 'Names get stand-ins.',
    good: 'Names are replaced.',
  },
  {
    find: /\bis not there\b|\bare not there\b|\bthat (?:is|are) there\b|\bif (?:it|they) (?:is|are) there\b/gim,
    write: 'does not exist, is missing',
    bad: 'The file is not there.',
    good: 'The file does not exist.',
  },
  {
    find: /\bapart from\b|\baside from\b/gim,
    write: 'except',
    bad: 'All apart from the key.',
    good: 'All except the key.',
  },
  {
    find: /\bneither\b[^.]{1,60}\bnor\b/gim,
    write: 'no … and no …; or two sentences',
    places: ['string'],
    bad: 'neither a list nor an object',
    good: 'not a list or an object',
  },
  {
    find: /\b(?:open|closed) to (?:all|nobody|somebody)\b|\ba route that is closed\b|\ba closed route\b/gim,
    write: 'public, protected',
    bad: 'Call a route that is closed.',
    good: 'Call a protected route.',
  },
  {
    find: /\bended at\b|, and ends?(?=[.;:,]|$)/gim,
    write: 'killed, when it exceeds; exit',
    bad: 'The process is stopped between two invocations, ended at its timeout.',
    good: 'The process is killed when it exceeds its timeout.',
  },
  {
    find: /[;,:] of (?:one|each|some|others) \w+|\bof (?:one|each) its\b/gim,
    write: 'a sentence with a verb',
    bad: 'Each event with its result; of one its cause.',
    good: 'Select an event to see its cause.',
  },
  {
    find: /\b(?:names?|services?|clients?|words?|pages?|limits?|rules?) of (?:AWS|Lambda)\b/gim,
    write: 'AWS names, Lambda limits',
    bad: 'The names of AWS do not resolve.',
    good: 'AWS host names do not resolve.',
  },
  {
    find: /\bwhich (?:is|are) (?:a )?\d{3}\b/gim,
    write: 'the server answers with 403',
    bad: 'Something else, which are 403.',
    good: 'The server answers with 403.',
  },
  {
    find: /\bnames? (?:itself|themselves)\b/gim,
    write: 'its id is …',
    bad: 'The client names itself by a URL.',
    good: "The client's id is a URL.",
  },
  {
    find: /\bno [^,.;]{3,60}, no [^.;]{3,90}, no\b/gim,
    write: 'separate sentences',
    bad: 'No route without a caller, no token in a log, no redirect followed.',
    good: 'Every route requires a caller. Tokens are never logged.',
  },
  {
    find: /\b(?:instance|process|run|attempt|caller|it|crash) left\b|\bleft (?:over|behind)\b|\bleftovers?\b/gim,
    write: 'cleans up …, of a terminated …',
    bad: 'It finishes what a killed instance left.',
    good: 'It cleans up sessions of terminated instances.',
  },
  {
    find: /\banswers? on\b/gim,
    write: 'responses are served from',
    bad: 'Programs answer on your origin.',
    good: 'Responses are served from your origin.',
  },
  {
    find: /\b(?:the|a|an|its|another|other|every|each) [\w-]+'s(?=[.,;:)|]|$)/gim,
    write: 'the noun after the possessive',
    bad: "Six times the function's.",
    good: "Six times the function's timeout.",
  },
  {
    find: /\b(?:warns?|rejects?|refuses?|fails?|throws?) where\b/gim,
    write: 'if',
    bad: 'It warns where a header is renamed.',
    good: 'It warns if a header is renamed.',
  },
  {
    find: /\bnone (?:for|at all|of them|of these|was|were|in|is|are)\b/gim,
    write: 'no …, 0',
    bad: 'None for units of a reserve.',
    good: '0 for reserved units.',
  },
  {
    find: /\bbut whose\b|\b(?:answer|reply|response) (?:was|is) lost\b(?<!its (?:answer|reply|response) (?:was|is) lost)/gim,
    write: 'if its response is lost',
    bad: 'A write that was applied, but whose answer was lost.',
    good: 'If its response is lost, the retry detects that.',
  },
  {
    find: /\bcould not be had\b|\bdo(?:es)? not resolve in\b/gim,
    write: 'inside; is not available',
    bad: 'Names do not resolve in the function.',
    good: 'Names do not resolve inside the function.',
  },
];
