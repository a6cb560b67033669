throw new RangeError('not configured', { cause: new Error('no table') });
