throw new Error('no table name');
