export function FlightStrip() {
  return <div className="side" />;
}
