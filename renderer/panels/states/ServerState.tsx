export function ServerState() {
  return <div className="side" />;
}
