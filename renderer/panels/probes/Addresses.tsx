// What a listening probe offers: its address, to be given to the server by hand, or filled in by Stopgap where the
// server's command line, its environment or a call's arguments name it.
import { Copy } from 'lucide-react';
import type { ProbeStatus } from '../../../app/contract/host';
import { useStopgap } from '../../context';

/** How a configuration or an argument refers to it: `${probes.hook.url}`. */
export const variableOf = (probe: string, key: string): string => `\${probes.${probe}.${key}}`;

function Line({ label, text, what }: { readonly label: string; readonly text: string; readonly what: string }) {
  const { actions } = useStopgap();
  return (
    <div className="address">
      <span className="soft">{label}</span>
      <code className="mono selectable">{text}</code>
      <button type="button" className="icon-button quiet tiny" aria-label={`Copy ${what}`} onClick={() => void actions.copy(text, what)}>
        <Copy size={13} aria-hidden />
      </button>
    </div>
  );
}

export function Addresses({ probe }: { readonly probe: ProbeStatus }) {
  const { spec, variables = {} } = probe;
  return (
    <div className="stack">
      {Object.entries(variables).map(([key, value]) => (
        <div key={key} className="addresses">
          <Line label={key === 'url' ? 'Address' : key} text={value} what={`the ${key} of ${spec.name}`} />
          <Line label="Written as" text={variableOf(spec.name, key)} what={`the variable of ${spec.name}`} />
        </div>
      ))}
      <p className="hint">
        {spec.kind === 'otel' ? (
          <>
            Put the variable into the server’s environment as <code className="mono">OTEL_EXPORTER_OTLP_ENDPOINT</code>
          </>
        ) : (
          'Put the variable where the server, or a call’s argument, takes the real address'
        )}
        : in the command line and the environment of a server it is filled in at its next start, in arguments at the call. The address holds
        a token; what comes without it is nobody’s, and is shown so.
      </p>
    </div>
  );
}
