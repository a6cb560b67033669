import {
  createMcpServer,
  type InputRequest,
  type McpAskingContext,
  type McpServer,
  type McpServerOptions,
  type McpStore,
  type McpTasks,
  McpToolError,
  type SampleRequest,
} from '../src/index.js';

/** A red pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** One silent sample. */
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==';

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const text = (value: string) => ({ type: 'text' as const, text: value });
const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' };
const textForm = (message: string, ...names: string[]) => ({
  message,
  requestedSchema: {
    type: 'object' as const,
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required: names,
  },
});
const ask = (message: string, name: string): InputRequest => ({
  method: 'elicitation/create',
  params: textForm(message, name),
});
const words = (question: string): SampleRequest => ({
  messages: [{ role: 'user', content: text(question) }],
  maxTokens: 100,
});

/** The server for the conformance suites, with a fixture for each scenario. */
export function createJudgedServer(
  store: McpStore,
  start: McpTasks['start'],
  options: Partial<McpServerOptions> = {},
): McpServer {
  const server = createMcpServer({
    name: 'sallyport-judged',
    version: '1.0.0',
    instructions: 'Call the tools whose names begin with test_.',
    store,
    secret: { current: 'only for the judges of this repository' },
    changes: true,
    tasks: { start, pollIntervalMs: 100 },
    retryMs: 100,
    changePollMs: 100,
    ...options,
  });
  addContentTools(server);
  addEventTools(server);
  addAskingTools(server);
  addSchemaTools(server);
  addInputTools(server);
  addResources(server);
  addPrompts(server);
  addTaskTools(server);
  return server;
}

function addContentTools(server: McpServer): void {
  server.tool(
    'test_simple_text',
    { description: 'Answers with text.' },
    () => 'This is a simple text response for testing.',
  );
  server.tool('test_image_content', { description: 'Answers with an image.' }, () => ({ content: [image] }));
  server.tool('test_audio_content', { description: 'Answers with audio.' }, () => ({
    content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  }));
  server.tool('test_embedded_resource', { description: 'Answers with an embedded resource.' }, () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  }));
  server.tool('test_multiple_content_types', { description: 'Answers with text, image and resource.' }, () => ({
    content: [
      text('Multiple content types test:'),
      image,
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ],
  }));
  server.tool('test_error_handling', { description: 'Always fails.' }, () => {
    throw new McpToolError('This tool intentionally returns an error for testing');
  });
}

function addEventTools(server: McpServer): void {
  server.tool('test_tool_with_logging', { description: 'Logs three times.' }, async (_, ctx) => {
    for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      ctx.log('info', words);
      await pause(50);
    }
    return 'Tool with logging executed successfully';
  });
  server.tool('test_tool_with_progress', { description: 'Reports progress three times.' }, async (_, ctx) => {
    for (const done of [0, 50, 100]) {
      ctx.progress(done, 100, `Completed step ${done} of 100`);
      await pause(50);
    }
    return 'Tool with progress executed successfully';
  });
  server.tool('test_logging_tool', { description: 'Logs at several levels.' }, async (_, ctx) => {
    ctx.log('debug', 'debug line');
    ctx.log('info', 'info line');
    await pause(20);
    return 'Logged.';
  });
  server.tool('test_reconnection', { description: 'Closes its stream and goes on.' }, async (_, ctx) => {
    await ctx.closeStream();
    await pause(100);
    return 'Reconnection test completed successfully';
  });
  server.tool('test_trigger_tool_change', { description: 'Says that the tools changed.' }, async () => {
    await server.publish({ list: 'tools' });
    return 'Published.';
  });
  server.tool('test_trigger_prompt_change', { description: 'Says that the prompts changed.' }, async () => {
    await server.publish({ list: 'prompts' });
    return 'Published.';
  });
}

function addAskingTools(server: McpServer): void {
  const prompt = { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] };
  server.tool(
    'test_sampling',
    { description: "Asks the client's model.", input: prompt, asks: ['sampling'] },
    async (args, ctx) => {
      const answer = await ctx.sample(words(String(args.prompt)));
      const { content } = answer;
      return `LLM response: ${'text' in content ? content.text : JSON.stringify(content)}`;
    },
  );
  const message = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] };
  server.tool(
    'test_elicitation',
    { description: 'Asks the person.', input: message, asks: ['elicitation'] },
    async (args, ctx) => {
      const answer = await ctx.elicit(textForm(String(args.message), 'username', 'email'));
      return `User response: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`;
    },
  );
  server.tool('test_two_questions', { description: 'Asks twice.', asks: ['elicitation'] }, async (_, ctx) => {
    const first = await ctx.elicit(textForm('First?', 'username'));
    const second = await ctx.elicit(textForm('Second?', 'username'));
    return `${first.content?.username} ${second.content?.username}`;
  });
  server.tool(
    'test_elicitation_sep1034_defaults',
    { description: 'Asks with defaults.', asks: ['elicitation'] },
    async (_, ctx) => {
      const answer = await ctx.elicit({
        message: 'Please review and update the form fields with defaults',
        requestedSchema: {
          type: 'object',
          properties: {
            name: { type: 'string', description: 'User name', default: 'John Doe' },
            age: { type: 'integer', description: 'User age', default: 30 },
            score: { type: 'number', description: 'User score', default: 95.5 },
            status: {
              type: 'string',
              description: 'User status',
              enum: ['active', 'inactive', 'pending'],
              default: 'active',
            },
            verified: { type: 'boolean', description: 'Verification status', default: true },
          },
          required: [],
        },
      });
      return `Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`;
    },
  );
  server.tool(
    'test_elicitation_sep1330_enums',
    { description: 'Asks with enumerations.', asks: ['elicitation'] },
    async (_, ctx) => {
      const answer = await ctx.elicit({
        message: 'Please choose',
        requestedSchema: { type: 'object', properties: ENUMS },
      });
      return `Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`;
    },
  );
  server.tool(
    'test_streaming_elicitation',
    { description: 'Reports progress, and asks in the middle.', asks: ['elicitation'] },
    async (_, ctx) => {
      ctx.progress(1, 2);
      await pause(20);
      const { action } = await ctx.elicit({
        message: 'Go on?',
        requestedSchema: { type: 'object', properties: { go: { type: 'boolean' } } },
      });
      ctx.progress(2, 2);
      return `Streamed: ${action}.`;
    },
  );
  server.tool(
    'test_missing_capability',
    { description: 'Needs sampling.', requires: ['sampling'] },
    () => 'The client can sample.',
  );
}

const ENUMS = {
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: {
    type: 'string',
    oneOf: [
      { const: 'value1', title: 'First Option' },
      { const: 'value2', title: 'Second Option' },
      { const: 'value3', title: 'Third Option' },
    ],
  },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
  titledMulti: {
    type: 'array',
    items: {
      anyOf: [
        { const: 'value1', title: 'First Choice' },
        { const: 'value2', title: 'Second Choice' },
        { const: 'value3', title: 'Third Choice' },
      ],
    },
  },
};

function addSchemaTools(server: McpServer): void {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  };
  server.tool(
    'json_schema_2020_12_tool',
    { description: 'Tool with JSON Schema 2020-12 features', input: schema },
    (args) => JSON.stringify(args),
  );
  const region = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } };
  server.tool(
    'test_x_mcp_header',
    { description: 'Repeats a region that routers can read.', input: region },
    (args) => `Region: ${String(args.region)}`,
  );
}

const firstWord = (inputs: object, key: string, member: string): string | undefined => {
  const answer = (inputs as Record<string, { content?: Record<string, unknown> } | undefined>)[key];
  const value = answer?.content?.[member];
  return typeof value === 'string' ? value : undefined;
};

function addInputTools(server: McpServer): void {
  const name = (suffix: string) => `test_input_required_result_${suffix}`;
  server.tool(name('elicitation'), { description: 'Asks for a name.', asks: ['elicitation'] }, async (_, ctx) => {
    const answer = await ctx.elicit<{ name: string }>(textForm('What is your name?', 'name'), 'user_name');
    return `Hello, ${answer.content?.name ?? 'stranger'}!`;
  });
  server.tool(name('sampling'), { description: 'Asks for a capital.', asks: ['sampling'] }, async (_, ctx) => {
    const answer = await ctx.sample(words('What is the capital of France?'), 'capital_question');
    return JSON.stringify(answer.content);
  });
  server.tool(name('list_roots'), { description: 'Asks for roots.', asks: ['roots'] }, async (_, ctx) => {
    const roots = await ctx.roots('client_roots');
    return roots.map((root) => root.uri).join('\n');
  });
  server.tool(name('request_state'), { description: 'Carries a state.', asks: ['elicitation'] }, (_, ctx) => {
    if (ctx.inputs.confirm && ctx.state === 'asked') return 'state-ok';
    return ctx.inputRequired({ confirm: confirm() }, 'asked');
  });
  server.tool(
    name('multiple_inputs'),
    { description: 'Asks three things at once.', asks: ['elicitation', 'sampling', 'roots'] },
    async (_, ctx) => {
      const [user, greeting, roots] = await Promise.all([
        ctx.elicit<{ name: string }>(textForm('What is your name?', 'name'), 'user_name'),
        ctx.sample(words('Generate a greeting'), 'greeting'),
        ctx.roots('client_roots'),
        ctx.step('noted', () => true),
      ]);
      return `${JSON.stringify(greeting.content)} ${user.content?.name ?? ''} ${roots.length}`;
    },
  );
  server.tool(name('multi_round'), { description: 'Asks twice.', asks: ['elicitation'] }, (_, ctx) => {
    const state = (ctx.state ?? {}) as { name?: string };
    const first = state.name ?? firstWord(ctx.inputs, 'step1', 'name');
    if (first === undefined) return ctx.inputRequired({ step1: ask('Step 1: What is your name?', 'name') }, {});
    const color = firstWord(ctx.inputs, 'step2', 'color');
    if (color === undefined) {
      return ctx.inputRequired({ step2: ask('Step 2: What is your favorite color?', 'color') }, { name: first });
    }
    return `${first} likes ${color}.`;
  });
  server.tool(name('tampered_state'), { description: 'Carries a sealed state.', asks: ['elicitation'] }, (_, ctx) => {
    return ctx.inputs.confirm ? 'Confirmed.' : ctx.inputRequired({ confirm: confirm() }, 'sealed');
  });
  server.tool(
    name('capabilities'),
    { description: 'Asks what it can.', asks: ['elicitation', 'sampling'] },
    (_, ctx) => {
      if (Object.keys(ctx.inputs).length > 0) return 'Thank you.';
      const requests: Record<string, InputRequest> = {};
      if (ctx.clientCapabilities.sampling)
        requests.capital_question = {
          method: 'sampling/createMessage',
          params: words('What is the capital of France?'),
        };
      if (ctx.clientCapabilities.elicitation) requests.user_name = ask('What is your name?', 'name');
      return ctx.inputRequired(requests);
    },
  );
}

const confirm = (): InputRequest => ({
  method: 'elicitation/create',
  params: {
    message: 'Please confirm',
    requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
  },
});

function addResources(server: McpServer): void {
  server.resource('test://static-text', { name: 'static-text', description: 'A text.', mimeType: 'text/plain' }, () => {
    return 'This is the content of the static text resource.';
  });
  server.resource(
    'test://static-binary',
    { name: 'static-binary', description: 'An image.', mimeType: 'image/png' },
    () => {
      return Buffer.from(PNG, 'base64');
    },
  );
  server.resource(
    'test://watched-resource',
    { name: 'watched-resource', description: 'One to subscribe to.', mimeType: 'text/plain' },
    () => {
      return 'Watched resource content';
    },
  );
  server.resourceTemplate(
    'test://template/{id}/data',
    { name: 'template', description: 'Data by id.', mimeType: 'application/json', complete: { id: ['123', '456'] } },
    ({ id = '' }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  );
}

function addPrompts(server: McpServer): void {
  server.prompt(
    'test_simple_prompt',
    { description: 'A prompt without arguments.' },
    () => 'This is a simple prompt for testing.',
  );
  server.prompt(
    'test_prompt_with_arguments',
    {
      description: 'A prompt with arguments.',
      args: {
        arg1: { description: 'First test argument', required: true, complete: ['paris', 'park', 'party'] },
        arg2: { description: 'Second test argument', required: true },
      },
    },
    ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  );
  server.prompt(
    'test_prompt_with_embedded_resource',
    {
      description: 'A prompt with a resource.',
      args: { resourceUri: { description: 'URI to embed', required: true } },
    },
    ({ resourceUri = '' }) => [
      {
        role: 'user',
        content: {
          type: 'resource',
          resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        },
      },
      { role: 'user', content: text('Please process the embedded resource above.') },
    ],
  );
  server.prompt('test_prompt_with_image', { description: 'A prompt with an image.' }, () => [
    { role: 'user', content: image },
    { role: 'user', content: text('Please analyze the image above.') },
  ]);
  server.prompt(
    'test_input_required_result_prompt',
    { description: 'A prompt that asks.', asks: ['elicitation'] },
    async (_, ctx) => {
      const answer = await ctx.elicit<{ context: string }>(
        textForm('What context should the prompt use?', 'context'),
        'user_context',
      );
      return `Use this context: ${answer.content?.context ?? ''}`;
    },
  );
}

/** The fixtures of the scenarios `tasks-*`; they are named without a prefix. */
function addTaskTools(server: McpServer): void {
  const Confirm = { type: 'object' as const, properties: { confirm: { type: 'boolean' } }, required: ['confirm'] };
  const confirm = (message: string) => ({ message, requestedSchema: Confirm });
  server.tool(
    'greet',
    { description: 'Greets; never a task.', input: { type: 'object', properties: { name: { type: 'string' } } } },
    ({ name }) => `Hello, ${name}!`,
  );
  server.tool(
    'slow_compute',
    {
      description: 'Takes so many seconds.',
      task: {},
      input: { type: 'object', properties: { seconds: { type: 'number' }, label: { type: 'string' } } },
    },
    async ({ seconds, label }, ctx) => {
      const until = Date.now() + Number(seconds ?? 0) * 1000;
      while (Date.now() < until && !ctx.signal.aborted) await pause(50);
      return `Computed ${label}`;
    },
  );
  server.tool('failing_job', { description: 'Fails after a second.', task: { required: true } }, async () => {
    await pause(1000);
    throw new McpToolError('This job always fails');
  });
  server.tool('protocol_error_job', { description: 'Breaks the protocol.', task: {} }, async (_, ctx) => {
    // This kind of question is not in the tool's options, so the call ends with an error of the protocol.
    await (ctx as McpAskingContext).roots();
    return 'never';
  });
  server.tool(
    'confirm_delete',
    {
      description: 'Asks before it deletes.',
      task: {},
      asks: ['elicitation'],
      input: { type: 'object', properties: { filename: { type: 'string' } } },
    },
    async ({ filename }, ctx) => {
      const { action } = await ctx.elicit(confirm(`Delete ${filename}?`), 'confirm');
      return action === 'accept' ? `Deleted ${filename}` : 'Kept';
    },
  );
  server.tool(
    'multi_input',
    { description: 'Asks twice at once.', task: {}, asks: ['elicitation'] },
    async (_, ctx) => {
      const answers = await Promise.all([
        ctx.elicit(confirm('First?'), 'first'),
        ctx.elicit(confirm('Second?'), 'second'),
      ]);
      return answers.map(({ action }) => action).join(' ');
    },
  );
  server.tool(
    'test_tool_with_task',
    { description: 'Asks, then becomes a task.', task: { required: true, at: 'closeStream' }, asks: ['elicitation'] },
    async (_, ctx) => {
      const { content } = await ctx.elicit(textForm('What is your name?', 'name'), 'user_name');
      await ctx.closeStream();
      return `Hello, ${content?.name}!`;
    },
  );
}
