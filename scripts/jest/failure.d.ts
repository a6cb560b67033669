declare namespace jest {
  interface Expect {
    /**
     * An error with this code, whose message names these options, fields or places.
     *
     * @example expect(create).toThrow(expect.failure('app.invalid_configuration', 'option "retries"'))
     */
    failure(code: string, ...names: readonly (string | RegExp)[]): Error;
  }
}
