/** A published signature, and its published verdict. */
export interface Vector {
  readonly name: string;
  readonly token: string;
  readonly valid: boolean;
}

/** A public key, and its vectors. */
export interface VectorGroup {
  readonly source: string;
  readonly key: Readonly<Record<string, string>>;
  readonly vectors: readonly Vector[];
}

const valid = (name: string, token: string): Vector => ({ name, token, valid: true });
const invalid = (name: string, token: string): Vector => ({ name, token, valid: false });

/** The payload of RFC 7515 appendices A.1 to A.3. */
const JOE = 'eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ';
/** The payload of RFC 7520 section 4. */
const FRODO =
  'SXTigJlzIGEgZGFuZ2Vyb3VzIGJ1c2luZXNzLCBGcm9kbywgZ29pbmcgb3V0IHlvdXIgZG9vci4gWW91IHN0ZXAgb250byB0aGUgcm9hZCwgYW5kIGlmIHlvdSBkb24ndCBrZWVwIHlvdXIgZmVldCwgdGhlcmXigJlzIG5vIGtub3dpbmcgd2hlcmUgeW91IG1pZ2h0IGJlIHN3ZXB0IG9mZiB0by4';

const BILBO_RSA = {
  kty: 'RSA',
  kid: 'bilbo.baggins@hobbiton.example',
  use: 'sig',
  n: 'n4EPtAOCc9AlkeQHPzHStgAbgs7bTZLwUBZdR8_KuKPEHLd4rHVTeT-O-XV2jRojdNhxJWTDvNd7nqQ0VEiZQHz_AJmSCpMaJMRBSFKrKb2wqVwGU_NsYOYL-QtiWN2lbzcEe6XC0dApr5ydQLrHqkHHig3RBordaZ6Aj-oBHqFEHYpPe7Tpe-OfVfHd1E6cS6M1FZcD1NNLYD5lFHpPI9bTwJlsde3uhGqC0ZCuEHg8lhzwOHrtIQbS0FVbb9k3-tVTU4fg_3L_vniUFAKwuCLqKnS2BYwdq_mzSnbLY7h_qixoR7jig3__kRhuaxwUkRz5iaiQkqgc5gHdrNP5zw',
  e: 'AQAB',
};

/** Names as in the file; the payload of its vectors is `foo`. */
const ES256_HEADER = 'eyJhbGciOiJFUzI1NiIsImtpZCI6ImtpZC1lYy1zaWduIn0';
const ES256_SIGNATURE = '5cA0OHyMP7ezamUd5c9kV-FrGxdx4hbGXOdplQkutrqWrte5P-pAvsE3Ve6xSyU3YDQwUHjVVOtvcrEbbnZ8yA';
const RS256_HEADER = 'eyJhbGciOiJSUzI1NiIsImtpZCI6ImtpZC1yc2Etc2lnbiJ9';
const RS256_SIGNATURE =
  'HUwxI1-cZrZgcuOgBQ7G7NE-GrqK79l6GV1KT4DKXnSMFwC8pfZCzE7pmLE7mYpLCIvzC87yuOjuhT0uW5oe6aaAEtR978cm-q8dfly45flqMrd_ifhi9GCsMlyi8dpQ42Ou1etZljFZuWjfyk8CN1c5DaHRwhqjScAPIFp6xmzKIRUJ_xdQfUSfSlujLaixtScU518EoNP4oo1v7E8RAz6ZO4g2N4Xqs8OvSxYydcoTEg42QnLHe9JnXgI37Q5gSwinwaPsG3Ry56UYiLoL8mCUa74S51y02VsIgVmmGWgaXjM-i_lCiKQDBiBnvWlka4XhVuvd6ZWibM9cbCPtPg';

/** The mechanical vectors of each group of the file. */
const broken = (header: string, signature: string, otherHeader: string): readonly Vector[] => [
  valid('acceptsValid', `${header}.Zm9v.${signature}`),
  invalid('rejectsModifiedSignature', `${header}.Zm9v.X${signature.slice(1)}`),
  invalid('rejectsMissingSignature', `${header}.Zm9v.`),
  invalid('rejectsMissingSignatureAndSeparator', `${header}.Zm9v`),
  invalid('rejectsModifiedPayload', `${header}.WG9v.${signature}`),
  invalid('rejectsMissingPayload', `${header}..${signature}`),
  invalid('rejectsMissingPayloadAndSeparator', `${header}.${signature}`),
  invalid('rejectsModifiedHeader', `${otherHeader}.Zm9v.${signature}`),
  invalid('rejectsMissingHeader', `.Zm9v.${signature}`),
  invalid('rejectsMissingHeaderAndSeparator', `Zm9v.${signature}`),
  invalid('rejectsMissingHeaderAndSignature', '.Zm9v.'),
  invalid('rejectsMissingHeaderSignatureAndSeparators', 'Zm9v'),
  invalid('rejectsEmptyString', ''),
];

/**
 * Public keys and signatures of RFC 7515 appendix A, RFC 7520 section 4 (github.com/ietf-jose/cookbook), RFC 8037 appendix A.4, and a part of
 * `testvectors_v1/json_web_signature_test.json` of github.com/C2SP/wycheproof (Apache-2.0), commit 073df56b.
 */
export const GROUPS: readonly VectorGroup[] = [
  {
    source: 'RFC 7515 A.2',
    key: {
      kty: 'RSA',
      n: 'ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ',
      e: 'AQAB',
    },
    vectors: [
      valid(
        'RS256',
        `eyJhbGciOiJSUzI1NiJ9.${JOE}.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw`,
      ),
    ],
  },
  {
    source: 'RFC 7515 A.3',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
      y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
    },
    vectors: [
      valid(
        'ES256',
        `eyJhbGciOiJFUzI1NiJ9.${JOE}.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q`,
      ),
    ],
  },
  {
    source: 'RFC 7515 A.4',
    key: {
      kty: 'EC',
      crv: 'P-521',
      x: 'AekpBQ8ST8a8VcfVOTNl353vSrDCLLJXmPk06wTjxrrjcBpXp5EOnYG_NjFZ6OvLFV1jSfS9tsz4qUxcWceqwQGk',
      y: 'ADSmRA43Z1DSNx_RvcLI87cdL07l6jQyyBXMoxVg_l2Th-x3S1WDhjDly79ajL4Kkd0AZMaZmh9ubmf63e3kyMj2',
    },
    vectors: [
      valid(
        'ES512',
        'eyJhbGciOiJFUzUxMiJ9.UGF5bG9hZA.AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-mZZqwqT2SI-KGDKB34XO0aw_7XdtAG8GaSwFKdCAPZgoXD2YBJZCPEX3xKpRwcdOO8KpEHwJjyqOgzDO7iKvU8vcnwNrmxYbSW9ERBXukOXolLzeO_Jn',
      ),
    ],
  },
  {
    source: 'RFC 7515 A.5',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
      y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
    },
    vectors: [invalid('none', `eyJhbGciOiJub25lIn0.${JOE}.`)],
  },
  {
    source: 'RFC 7520 4.1 and 4.2',
    key: BILBO_RSA,
    vectors: [
      valid(
        'RS256',
        `eyJhbGciOiJSUzI1NiIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9.${FRODO}.MRjdkly7_-oTPTS3AXP41iQIGKa80A0ZmTuV5MEaHoxnW2e5CZ5NlKtainoFmKZopdHM1O2U4mwzJdQx996ivp83xuglII7PNDi84wnB-BDkoBwA78185hX-Es4JIwmDLJK3lfWRa-XtL0RnltuYv746iYTh_qHRD68BNt1uSNCrUCTJDt5aAE6x8wW1Kt9eRo4QPocSadnHXFxnt8Is9UzpERV0ePPQdLuW3IS_de3xyIrDaLGdjluPxUAhb6L2aXic1U12podGU0KLUQSE_oI-ZnmKJ3F4uOZDnd6QZWJushZ41Axf_fcIe8u9ipH84ogoree7vjbU5y18kDquDg`,
      ),
      valid(
        'PS384',
        `eyJhbGciOiJQUzM4NCIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9.${FRODO}.cu22eBqkYDKgIlTpzDXGvaFfz6WGoz7fUDcfT0kkOy42miAh2qyBzk1xEsnk2IpN6-tPid6VrklHkqsGqDqHCdP6O8TTB5dDDItllVo6_1OLPpcbUrhiUSMxbbXUvdvWXzg-UD8biiReQFlfz28zGWVsdiNAUf8ZnyPEgVFn442ZdNqiVJRmBqrYRXe8P_ijQ7p8Vdz0TTrxUeT3lm8d9shnr2lfJT8ImUjvAA2Xez2Mlp8cBE5awDzT0qI0n6uiP1aCN_2_jLAeQTlqRHtfa64QQSUmFAAjVKPbByi7xho0uTOcbH510a6GYmJUAfmWjwZ6oD4ifKo8DYM-X72Eaw`,
      ),
    ],
  },
  {
    source: 'RFC 7520 4.3',
    key: {
      kty: 'EC',
      kid: 'bilbo.baggins@hobbiton.example',
      use: 'sig',
      crv: 'P-521',
      x: 'AHKZLLOsCOzz5cY97ewNUajB957y-C-U88c3v13nmGZx6sYl_oJXu9A5RkTKqjqvjyekWF-7ytDyRXYgCF5cj0Kt',
      y: 'AdymlHvOiLxXkEhayXQnNCvDX4h9htZaCJN34kfmC6pV5OhQHiraVySsUdaQkAgDPrwQrJmbnX9cwlGfP-HqHZR1',
    },
    vectors: [
      valid(
        'ES512',
        `eyJhbGciOiJFUzUxMiIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9.${FRODO}.AE_R_YZCChjn4791jSQCrdPZCNYqHXCTZH0-JZGYNlaAjP2kqaluUIIUnC9qvbu9Plon7KRTzoNEuT4Va2cmL1eJAQy3mtPBu_u_sDDyYjnAMDxXPn7XrT0lw-kvAD890jl8e2puQens_IEKBpHABlsbEPX6sFY8OcGDqoRuBomu9xQ2`,
      ),
    ],
  },
  {
    source: 'RFC 8037 A.4',
    key: { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
    vectors: [
      valid(
        'EdDSA',
        'eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg',
      ),
    ],
  },
  {
    source: 'Wycheproof es256',
    key: {
      kty: 'EC',
      alg: 'ES256',
      use: 'sig',
      crv: 'P-256',
      kid: 'kid-ec-sign',
      x: '04N0xi21hshyvBp7I167sbE_bXqyqkAPfefdklMO7wY',
      y: 'UI8exy-C06a7DUnjIdENkxeFtHM4-l_41LqEw9nVgmw',
    },
    vectors: [
      ...broken(ES256_HEADER, ES256_SIGNATURE, 'eyJhbGciOiJFUzI1NiIsImtpZCI6IlhpZC1lYy1zaWduIn0'),
      invalid(
        'rejectsSymmetryConfusionAttacks_aesKeyFromEcVerificationKeyBytes',
        'eyJhbGciOiJIUzI1NiIsImtpZCI6ImtpZC1lYy1zaWduIn0.Zm9v.TgWtz2FIRukBQ_mA5sgHa0Ybtgn7bl-YBPAi7Z0XdHU',
      ),
      invalid(
        'rejectsAttackerProvidedEmbeddedJwk',
        'eyJhbGciOiJFUzI1NiIsImtpZCI6ImtpZC1lYy1zaWduIiwiandrIjp7Imt0eSI6IkVDIiwia2lkIjoia2lkLWVjLXNpZ24iLCJ1c2UiOiJzaWciLCJhbGciOiJFUzI1NiIsIngiOiJNZG5UWkRJaERKYmZBU2RGcWFtY3BPMkNoOUdOS0sybTBNUWxoNDAyU3BvIiwieSI6Ijdhdko0bHFfV3l4LW5MUERCUTJZcHl0dUh5TWlvMDdCVXl2bDNqYUMtMVkiLCJjcnYiOiJQLTI1NiJ9fQ.Zm9v.4jmsollQD8ZxvySzXYnIEYA4fwaZi2ZbC0aI1J4LYmW2Bn31NhKdjms2N6o51Dff5-InWXQF9m45VtTexl6yjg',
      ),
    ],
  },
  {
    source: 'Wycheproof rs256',
    key: {
      kty: 'RSA',
      alg: 'RS256',
      use: 'sig',
      kid: 'kid-rsa-sign',
      n: 'kqGboBfAWttWPCA-0cGRgsY6SaYoIARt0B_PkaEcIq9HPYNdu9n6UuWHuuTHrjF_ZoQW97r5HaAorNvrMEGTGdxCHZdEtkHvNVVmrtxTBLiQCbCozXhFoIrVcr3qUBrdGnNn_M3jJi7Wg7p_-x62nS5gNG875oyheRkutHsQXikFZwsN3q_TsPNOVlCiHy8mxzaFTUQGm-X8UYexFyAivlDSjgDJLAZSWfxd7k9Gxuwa3AUfQqQcVcegmgKGCaErQ3qQbh1x7WB6iopE3_-GZ8HMAVtR9AmrVscqYsnjhaCehfAI0iKKs8zXr8tISc0ORbaalrkk03H1ZrsEnDKEWQ',
      e: 'AQAB',
    },
    vectors: [
      ...broken(RS256_HEADER, RS256_SIGNATURE, 'eyJhbGciOiJSUzI1NiIsImtpZCI6IlhpZC1yc2Etc2lnbiJ9'),
      invalid(
        'incorrectLengthOfSequence',
        `${RS256_HEADER}.Zm9v.I0slX9oi9CiihNJsaYV7aryZDf4TzqhKMECNJg8MxMnFPlRQIf41uX6zQW9QkhUp5ae0-P1XRdrf1uFZRyw8nSOXFTdAJ_ubioiIGIHiTi6ELTqtixo4T6vJ_GnL_0GllnNEhMBTWD89DTkZb-Jy-S7S5kCUrpg0ThcCg8EULiFeFa0RNvRGHuePonIRm1jyK-uHeQe2S-hjUx9Uh6CQEQjXDZxRyf17qpr2hXyhUXvIYRphWUTdqZdDroWUDkE2UV2MgB8JVggaUMFA0Y1Lk7Wlub86w-ES7SiEdJwHihmsv8XiW1xBR5kmXYSwAeUVhZlLuMMLVrg6IfkLW9GkEA`,
      ),
      invalid(
        'removingSequence',
        `${RS256_HEADER}.Zm9v.F7S3oL6racMAA7D3H1UrEo1Ecr8YRxkUQs32K4IFWoAQPU8Tg0_6j23zOJncfho_BYfvC5UKejYFcYC6JIv3rPomgWuToiSvTpOk9HAuHmV5EMhsOZfLdsH0qVcuZSjLXR_w7m_Ljo8MQ9gwZerD3FBDxi6js7wuckcqEz_thjtatHia9bR4VvQ4SymBTnvW_ZudQwD_6afcqu72P223hJc7gTXPH9dgmm8E7Iz1R0_s5p54_3DWnbzw9DPB-zeRJI9M0oYpJl2BVawpYPTGYqez2HLKRCigbvzz-Q8SEKoheksRGue-ZSQsZlAWw0abqhqulnVZyMjuluD2AU4r9g`,
      ),
      invalid(
        'lonelySequenceTag',
        `${RS256_HEADER}.Zm9v.JNsl1HzsyXvm-Ihw70ESCB3T8J_WtnUw_N4axx8f8QUZ-l_6G5MRzkY1696eKx0ClWnBZa0eIfGGsy9ArZGzmWCxXDrlUSnHuJ0SumPVSQmsdC3rC6znPoVLyAN1E57pz_UHSOK9atKqn7RgF5PqWAWta1bN8b8_v09sQXKx2f50ylLIWbNrB7mZBL_8YurpqCq2o4pjSTgrYw8H9FRJLulaTpiPKFmzn_li-_sxs_akRc-uwLtLlXnOUW7baf8no0Gf1hFnarN8CjnzSa2I00VUmSsMY0B5Sq-QXpvrIorKsWmA0BgERpmCiZdMrVBM_uKFy-UWnsRIZzOkdUZ5oQ`,
      ),
      invalid(
        "appending0'sToSequence",
        `${RS256_HEADER}.Zm9v.CFfhT4N8_nZnxQSmAoxUZ8e82-yFklOoxXiZa0AYMQy6uetl9k_Wsy8t-k3K_kj35EahbptQ333B0IytIJrbMiY5S6C_KeS5ZoV6vpqpLX1jSw1m7bdPm2ioN4HEKsZOVGp3k0DZMc6NTXjW28dZhFJmeIgh1KTbbFCdu1Mh-6-6QAD_Hqy4k6sv1BmnL1cUJcTJ53wlTpAE-_jsFYi6TvpxQ6WeZoxb_Cs3f1SE0b7i07xFfx_cvhxUFs_zoWpRbdeU7dEQRdptjo66kIHYvAGgxJIA0taY1TT30da1hDuIFS9i3Ck1-e3fPY_Alp3IYERIZeHoG5LJ0V00q4oVWw`,
      ),
      invalid(
        "appendingUnused0'sToSequence",
        `${RS256_HEADER}.Zm9v.NznBrBiN-MEEZMN09zKsdHwKb4KbAPf8jliegLr4NpHSjxsITE7Miu4nqQnzeEp5ows6zRzE99bzeUpvaZFWK6pDVOdsT057xg6rTqKEbUIMrWHZL4EH0toXRgtC2P-1J0uzifflUTheqPVuk4sqJHkvhf6jYZa-jQoZjxWgF6GP-VmVTpRfP2aesVEqKiaYfBno4ns8a02fGXZAmtT2folGABPxmLa6LfQiQOmUiy_GQEFihsgh53VXDZemlTub_dfVw__cLSyt-oatzBDLyLPJA3IWwMaV2jrFsvA8V39BceTL7rPpn4NIVL-yf8cPa09UhLTPHHgSgNdRILVRvA`,
      ),
      invalid(
        'truncatedLengthOfSequence',
        `${RS256_HEADER}.Zm9v.bbOndRBDTwqBJ_F-gvpwnLJuCuq1fRedMH5pDpkgewt2A-cntEKBR8G60JFVD_DK1aCLDiEmBzxIgZS4XzAW5NUW7CaKpnKz6bls0S6SJf5d2CzD_qtqeuWMuWwZPm5gWIdNdcK1z8aqViPXyHGxf9D-R6PSMCSvFNarmHrUcesdzx5zvrUeX3jhlGaHEwX6D8ZL4NkKxpa5zLST8cOgKI0Bw9YfqnOt9s_S585S2kh4f3-cqan8IxsZ1A2B1uSMCKg0A8cvjJkLFLxY49W774IcYApSzPbLU2tuVbgVoejHM7d7Y6IKC-GyAdB78njhsUg2TFSUINCioeb6w606HQ`,
      ),
    ],
  },
];
