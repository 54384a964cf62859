/* SPDX-License-Identifier: MIT */
/* A mains adapter, a battery, a power meter, all real ACPI devices for QEMU (-acpitable file=power.aml).
 * State is one byte in the APM status port B3h (plain storage in QEMU; write it from the guest through
 * /dev/port or from the host with the monitor: o/b 0xb3 VALUE):
 *   bit 0: mains unplugged;  bit 1: battery absent;  bits 2-7: used charge, in 64ths.
 * A thermal zone polled each 0.1 s notices a change and notifies, so the kernel sends real uevents. Between two
 * polls the mains may have gone and come back: firmware tells of each, and this one of any change of the byte. Let
 * the charge differ each time. */
DefinitionBlock ("", "SSDT", 2, "BENCH", "PWRTEST", 1)
{
    OperationRegion (APMS, SystemIO, 0xB3, 1)
    Field (APMS, ByteAcc, NoLock, Preserve) { STAT, 8 }
    Name (LAST, 0)
    Scope (\_SB)
    {
        Device (ADP1)
        {
            Name (_HID, "ACPI0003")
            Method (_PSR, 0, Serialized) { Local0 = \STAT  Return ((Local0 & 1) ^ 1) }
            Method (_STA, 0) { Return (0x0F) }
            Name (_PCL, Package () { \_SB })
        }
        Device (BAT0)
        {
            Name (_HID, EisaId ("PNP0C0A"))
            Name (_UID, 0)
            Name (_PCL, Package () { \_SB })
            Method (_STA, 0, Serialized) { Local0 = \STAT  If (Local0 & 2) { Return (0x0F) } Return (0x1F) }
            Name (_BIF, Package () { 0, 50000, 45000, 1, 11400, 4500, 2000, 100, 100, "BENCHBAT", "0001", "LION", "BENCH" })
            Name (BSTP, Package () { 0, 0, 0, 12000 })
            Method (_BST, 0, Serialized)
            {
                Local0 = \STAT
                Local1 = 45000 - ((Local0 >> 2) * 703)
                If (Local0 & 1) { BSTP [0] = 1  BSTP [1] = 9500 }
                ElseIf (Local1 < 45000) { BSTP [0] = 2  BSTP [1] = 20000 }
                Else { BSTP [0] = 0  BSTP [1] = 0 }
                BSTP [2] = Local1
                Return (BSTP)
            }
        }
        Device (PMT0)
        {
            Name (_HID, "ACPI000D")
            Method (_STA, 0) { Return (0x0F) }
            Name (_PMC, Package () { 1, 0, 0, 95000, 100, 100, 60000, 0xFFFFFFFF, 0, 0, 0, "BENCHMETER", "0001", "BENCH" })
            Method (_PMM, 0, Serialized) { Local0 = \STAT  If (Local0 & 1) { Return (9500) } Return (12345) }
            Name (_PMD, Package () { \_SB })
        }
    }
    Scope (\_TZ)
    {
        ThermalZone (TZ00)
        {
            Method (_TMP, 0, Serialized)
            {
                Local0 = \STAT
                If (Local0 != \LAST)
                {
                    Local1 = \LAST ^ Local0
                    \LAST = Local0
                    Notify (\_SB.ADP1, 0x80)
                    If (Local1 & 2) { Notify (\_SB.BAT0, 0x81) }
                    Notify (\_SB.BAT0, 0x80)
                }
                Return (3002)
            }
            Name (_CRT, 3732)
            Name (_TZP, 1)
        }
    }
}
