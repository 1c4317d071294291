// The part of OTLP's protobuf messages that is looked at, as field numbers. They are those of opentelemetry-proto 1.x
// (collector/trace/v1, trace/v1, resource/v1, common/v1), which never change; fields that are not named here are skipped.
// The names are those of OTLP's JSON, so that both encodings come out alike.

const many = 'repeated' as const;

export const DESCRIPTOR = {
  nested: {
    ExportTraceServiceRequest: { fields: { resourceSpans: { rule: many, type: 'ResourceSpans', id: 1 } } },
    ResourceSpans: { fields: { resource: { type: 'Resource', id: 1 }, scopeSpans: { rule: many, type: 'ScopeSpans', id: 2 } } },
    Resource: { fields: { attributes: { rule: many, type: 'KeyValue', id: 1 } } },
    ScopeSpans: { fields: { spans: { rule: many, type: 'Span', id: 2 } } },
    Span: {
      fields: {
        traceId: { type: 'bytes', id: 1 },
        spanId: { type: 'bytes', id: 2 },
        name: { type: 'string', id: 5 },
        kind: { type: 'int32', id: 6 },
        startTimeUnixNano: { type: 'fixed64', id: 7 },
        endTimeUnixNano: { type: 'fixed64', id: 8 },
        attributes: { rule: many, type: 'KeyValue', id: 9 },
        status: { type: 'Status', id: 15 },
      },
    },
    Status: { fields: { code: { type: 'int32', id: 3 } } },
    KeyValue: { fields: { key: { type: 'string', id: 1 }, value: { type: 'AnyValue', id: 2 } } },
    AnyValue: {
      oneofs: { value: { oneof: ['stringValue', 'boolValue', 'intValue', 'doubleValue'] } },
      fields: {
        stringValue: { type: 'string', id: 1 },
        boolValue: { type: 'bool', id: 2 },
        intValue: { type: 'int64', id: 3 },
        doubleValue: { type: 'double', id: 4 },
      },
    },
  },
};
