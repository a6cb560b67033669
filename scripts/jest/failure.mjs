// `expect.failure(code, ...names)`: an error of the framework by its code and by what its message names. Tests do not repeat whole messages.
expect.extend({
  failure(error, code, ...names) {
    const message = String(error?.message);
    const isNamed = (name) => (typeof name === 'string' ? message.includes(name) : name.test(message));
    return {
      pass: error?.code === code && names.every(isNamed),
      message: () => `expected ${code} with ${names.join(', ')}, received ${String(error?.code)}: ${message}`,
    };
  },
});
