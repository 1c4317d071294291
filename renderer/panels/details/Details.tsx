export function Details() {
  return <div className="side" />;
}
