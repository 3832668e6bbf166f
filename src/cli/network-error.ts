import { TargetError } from "../errors.js";

interface Problem {
  message: string;
  hint: string;
}

const NAME: Problem = { message: "host not found", hint: "check the host name, and that this machine is online" };
const SILENT: Problem = { message: "no answer in time", hint: "the server is slow or gone: run it again later" };
const BROKEN: Problem = { message: "connection broken off", hint: "the server hung up: run it again later" };
const UNREACHABLE: Problem = { message: "host not reachable", hint: "check the network, VPN and firewall" };
const CERTIFICATE: Problem = {
  message: "certificate not trusted",
  hint: "the server's certificate is not valid for this URL: check the host name; NODE_EXTRA_CA_CERTS adds an authority",
};
const NOT_TLS: Problem = {
  message: "no secure connection",
  hint: "the server does not speak TLS as expected: check the port, and http against https",
};
const NOT_HTTP: Problem = { message: "answer is not HTTP", hint: "check the port: another service may listen there" };

const BY_CODE: Record<string, Problem> = {
  ENOTFOUND: NAME,
  EAI_AGAIN: NAME,
  ECONNREFUSED: {
    message: "connection refused",
    hint: "nothing listens there: check the port, and that the server runs",
  },
  ECONNRESET: BROKEN,
  EPIPE: BROKEN,
  UND_ERR_SOCKET: BROKEN,
  ETIMEDOUT: SILENT,
  UND_ERR_CONNECT_TIMEOUT: SILENT,
  UND_ERR_HEADERS_TIMEOUT: SILENT,
  UND_ERR_BODY_TIMEOUT: SILENT,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  EADDRNOTAVAIL: UNREACHABLE,
  ERR_INVALID_URL: { message: "not a valid URL", hint: "check how the URL is written" },
  UND_ERR_HEADERS_OVERFLOW: { message: "answer's header too large", hint: "the server sends more than Node takes" },
};

const BY_PATTERN: [RegExp, Problem][] = [
  [/CERT|ALTNAME|UNABLE_TO_(GET|VERIFY)/, CERTIFICATE],
  [/^(EPROTO|ERR_SSL|ERR_TLS)/, NOT_TLS],
  [/^HPE_/, NOT_HTTP],
];

/** What Node gives no code, it says in words of its own, which hold no URL. */
const BY_WORDS: [RegExp, Problem][] = [
  [
    /redirect count/,
    { message: "too many redirects", hint: "the pages redirect in a circle: open the URL in a browser" },
  ],
  [/redirect|scheme/, { message: "bad redirect", hint: "the page redirects to something that cannot be fetched" }],
  [/bad port/, { message: "port not allowed", hint: "Node's fetch refuses this port, as browsers do" }],
];

const UNKNOWN: Problem = {
  message: "request failed",
  hint: "run it again; --fetch with a module of your own can tell more",
};

/** Turns what Node's `fetch` rejected with into a short message with the error's code, and a hint; neither holds the URL. */
export function networkError(error: unknown): TargetError {
  const code = findInCauses(error, (candidate) => candidate.code);
  const words = findInCauses(error, (candidate) => (candidate.cause === undefined ? candidate.message : undefined));
  const { message, hint } = (code === undefined ? inWords(words) : byCode(code)) ?? UNKNOWN;
  return new TargetError(code === undefined ? message : `${message} (${code})`, { hint, cause: error });
}

function byCode(code: string): Problem | undefined {
  return BY_CODE[code] ?? BY_PATTERN.find(([pattern]) => pattern.test(code))?.[1];
}

function inWords(words = ""): Problem | undefined {
  return BY_WORDS.find(([pattern]) => pattern.test(words))?.[1];
}

type Candidate = { code?: unknown; message?: unknown; cause?: unknown };

function findInCauses(error: unknown, pick: (candidate: Candidate) => unknown): string | undefined {
  let current = error as Candidate | undefined;
  for (let depth = 0; depth < 5 && typeof current === "object" && current !== null; depth++) {
    const found = pick(current);
    if (typeof found === "string") return found;
    current = current.cause as Candidate | undefined;
  }
  return undefined;
}
